// Two operands of a sum go wrong in two ways, and the first that is worked out is the one that is told. Both kinds happen.
//
// expect verdict=violated kind=division-by-zero kind=index-out-of-range
// expect -DV=1 verdict=violated kind=division-by-zero kind=index-out-of-range
// expect -DV=2 verdict=violated kind=division-by-zero kind=index-out-of-range
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte f[2] = 1;
byte a[2];
byte c, x;

active [2] proctype P()
{
end:
   do
   :: atomic { c == 0 -> c = 1; f[_pid] = 0 }
   :: atomic { c == 1 && f[_pid] == 1 -> c = 2; f[_pid] = 7 }
   :: atomic { c == 2 -> x = (1 / f[0]) + a[f[0]] + (1 / f[1]) + a[f[1]] }
   od
}
#elif V == 1
byte f[2] = 1;
byte a[2];
byte c;

active [2] proctype P()
{
end:
   do
   :: atomic { c == 0 -> c = 1; f[_pid] = 0 }
   :: atomic { c == 1 && f[_pid] == 1 -> c = 2; f[_pid] = 7 }
   :: atomic { c == 2 -> assert(((1 / f[0]) | a[f[0]] | (1 / f[1]) | a[f[1]]) == 9) }
   od
}
#elif V == 2
byte f[3] = 1;
byte a[2];
byte c, x;

active [3] proctype P()
{
end:
   do
   :: atomic { c == 0 -> c = 1; f[_pid] = 0 }
   :: atomic { c == 1 && f[_pid] == 1 -> c = 2; f[_pid] = 7 }
   :: atomic { c == 2 -> x = a[f[0]] / f[0] + a[f[1]] / f[1] + a[f[2]] / f[2] }
   od
}
#elif V == 3
byte f[2] = 1;
byte a[8];
byte c, x;

active [2] proctype P()
{
end:
   do
   :: atomic { c == 0 -> c = 1; f[_pid] = 2 }
   :: atomic { c == 1 && f[_pid] == 1 -> c = 2; f[_pid] = 7 }
   :: atomic { c == 2 -> x = (1 / f[0]) + a[f[0]] + (1 / f[1]) + a[f[1]] }
   od
}
#endif
