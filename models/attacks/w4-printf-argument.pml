// Working out the argument of a print can go wrong, and here it does for one member only. (SPIN's verifier leaves prints
// out, but not those in a `d_step`.)
//
// expect verdict=violated kind=index-out-of-range
// expect -DV=1 verdict=violated kind=division-by-zero
// expect -DV=2 verdict=violated kind=index-out-of-range
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte f[3] = 1;
byte a[4];
bool go;

active [3] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 7 }
   :: atomic { go -> printf("%d", a[f[0]]) }
   od
}
#elif V == 1
byte f[2] = 1;
byte a[4];
bool go;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 0 }
   :: atomic { go -> printf("%d", 6 / f[0]) }
   od
}
#elif V == 2
byte f[2] = 1;
byte a[4];
bool go;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 7 }
   :: d_step { go -> printf("%d %d", f[1], a[f[1]]) }
   od
}
#elif V == 3
byte f[3] = 1;
byte a[4];
bool go;

active [3] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 7 }
   :: atomic { go -> printf("%d", a[f[0] % 4]) }
   od
}
#endif
