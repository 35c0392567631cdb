// The `_pid` of a process outside of the family is a plain number, and that number is also a member.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte x;
bool go;

proctype P(byte id)
{
end:
   do
   :: atomic { !go -> go = 1; x = id }
   od
}

init
{
   atomic { run P(0); run P(1) };
end:
   go && x == _pid -> assert(false)
}
#elif V == 1
bool f[3], go;

proctype P(byte id)
{
end:
   do
   :: atomic { !go -> go = 1; f[id] = 1 }
   od
}

init
{
   atomic { run P(0); run P(1); run P(2) };
end:
   go && f[_pid] -> assert(false)
}
#elif V == 2
byte t = 255;

active proctype Server() provided (t == _pid)
{
end:
   do
   :: true -> assert(false)
   od
}

active [2] proctype P()
{
end:
   do
   :: atomic { t == 255 -> t = _pid - 1 }
   od
}
#elif V == 3
byte x;
bool go;

proctype P(byte id)
{
end:
   do
   :: atomic { !go -> go = 1; x = id }
   od
}

init
{
   atomic { run P(1); run P(2) };
end:
   go && x == _pid -> assert(false)
}
#endif
