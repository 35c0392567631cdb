// Something goes wrong for two members in two ways, and the first that a loop comes to is the one that is told. Both kinds
// happen.
//
// expect verdict=violated kind=division-by-zero kind=index-out-of-range
// expect -DV=1 verdict=violated kind=division-by-zero kind=index-out-of-range
// expect -DV=2 verdict=violated kind=assertion kind=blocked-d-step
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
scalarset T[2];
byte a[T] = 1;
byte b[2];
byte c;
byte d[T];

active [T] proctype P(T id)
{
end:
   do
   :: atomic { c == 0 -> c = 1; a[id] = 0 }
   :: atomic { c == 1 && a[id] -> c = 2; a[id] = 7 }
   :: atomic { c == 2 -> for (i : T) { d[i] = b[a[i]]; d[i] = 1 / a[i] } }
   od
}
#elif V == 1
scalarset T[2];
byte a[T] = 1;
byte b[2];
byte c;
byte n;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { c == 0 -> c = 1; a[id] = 0 }
   :: atomic { c == 1 && a[id] -> c = 2; a[id] = 7 }
   :: atomic { c == 2 && count (i : T) (b[a[i]] + 1 / a[i] == 1) == 5 -> n = 1 }
   od
}
#elif V == 2
scalarset T[2];
byte a[T] = 1;
byte b[2];
byte c;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { c == 0 -> c = 1; a[id] = 0 }
   :: atomic { c == 1 && a[id] -> c = 2; a[id] = 7 }
   :: atomic { c == 1 -> for (i : T) { a[i] == 1; assert(c == 0) } }
   od
}
#elif V == 3
scalarset T[2];
byte a[T] = 1;
byte b[2];
byte c;
byte d[T];
byte e[8];

active [T] proctype P(T id)
{
end:
   do
   :: atomic { c == 0 -> c = 1; a[id] = 0 }
   :: atomic { c == 1 && a[id] -> c = 2; a[id] = 7 }
   :: atomic { c == 2 -> for (i : T) { d[i] = e[a[i]]; d[i] = 1 / (a[i] + 1) } }
   od
}
#endif
