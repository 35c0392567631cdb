// A value that is no member comes from an initialiser, and a narrow variable cuts it to a member. Only one of the members
// is then said to be in `x`: the model is not symmetric.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte y = 2;
bit x;
bool f[2], go, moved;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1; x = _pid }
   :: atomic { go && !moved -> moved = 1; x = y }
   :: atomic { moved && x == _pid && f[_pid] -> assert(false) }
   od
}
#elif V == 1
byte y = 4;
unsigned x : 2;
bool f[3], go, moved;

active [3] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1; x = _pid }
   :: atomic { go && !moved -> moved = 1; x = y }
   :: atomic { moved && x == _pid && f[_pid] -> assert(false) }
   od
}
#elif V == 2
byte y = 3;
bit x;
bool f[2], go, moved;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1; x = _pid }
   :: atomic { go && !moved -> moved = 1; x = y - 1 }
   :: atomic { moved && x == _pid && f[_pid] -> assert(false) }
   od
}
#elif V == 3
byte y = 2;
byte x;
bool f[2], go, moved;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1; x = _pid }
   :: atomic { go && !moved -> moved = 1; x = y }
   :: atomic { moved && x == _pid && f[_pid] -> assert(false) }
   od
}
#endif
