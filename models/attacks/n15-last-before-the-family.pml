// `_last` is looked at only before all processes exist. It is still a part of every state, and goes with the process.
//
// expect verdict=holds
// expect -DV=1 verdict=holds
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte x;
byte a[3];

proctype P(byte id) { end: do :: a[id] = 0 od }

init { atomic { x = (_last != 1); run P(1); run P(2) } }
#elif V == 1
byte x;
byte a[2];

proctype P(byte id) { end: do :: a[id] = 1 - a[id] od }

init { x = _last; atomic { run P(0); run P(1) } }
#elif V == 2
byte t = 9;

active [2] proctype P()
{
end:
   do
   :: t == 9 -> t = _pid
   :: t != 9
   :: atomic { t != 9 && _last == 0 -> assert(t != 1) }
   od
}
#elif V == 3
byte t = 9;

active [2] proctype P()
{
end:
   do
   :: t == 9 -> t = _pid
   :: t != 9
   :: atomic { t != 9 && _last == 2 -> assert(t != 1) }
   od
}
#endif
