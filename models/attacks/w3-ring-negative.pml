// Promela's remainder is negative for a negative number, as in C: `(x - 1) % 3` is -1 for `x == 0`, which is no step around
// the ring.
//
// expect verdict=violated kind=index-out-of-range
// expect -DV=1 verdict=violated kind=index-out-of-range
// expect -DV=2 verdict=violated kind=index-out-of-range
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte x;
byte a[3];
bool go, moved;

active [3] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; x = _pid }
   :: atomic { go && !moved -> moved = 1; x = (x - 1) % 3; a[x] = 1 }
   od
}
#elif V == 1
byte x;
byte a[4];
bool go, moved;

active [4] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; x = _pid }
   :: atomic { go && !moved -> moved = 1; a[(_pid - 1) % 4] = 1 }
   od
}
#elif V == 2
byte x;
byte a[3];
bool go, moved;

active [3] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; x = _pid }
   :: atomic { go && !moved -> moved = 1; a[(x - 2) % 3] = 1 }
   od
}
#elif V == 3
byte x;
byte a[3];
bool go, moved;

active [3] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; x = _pid }
   :: atomic { go && !moved -> moved = 1; x = (x + 2) % 3; a[x] = 1 }
   od
}
#endif
