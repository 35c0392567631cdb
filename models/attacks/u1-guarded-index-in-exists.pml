// An index that a guard in the same condition keeps inside the array.
//
// expect verdict=holds
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=index-out-of-range
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
scalarset T[3];
T o;
T p[T];
bit a[T];
bool b;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { a[id] == 0 -> a[id] = 1; select (o : T); p[id] = o }
   :: atomic { exists (i : T) (p[i] != undef && a[p[i]] == 1 && i != id) -> a[id] = 0; p[id] = undef }
   :: atomic { forall (i : T) (p[i] == undef || a[p[i]] == 1) -> b = 1 - b }
   od
}
#elif V == 1
scalarset T[3];
T o;
T p[T];
bit a[T];
bool b;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { a[id] == 0 -> a[id] = 1; select (o : T); p[id] = o }
   :: atomic { exists (i : T) (p[i] != undef && a[p[i]] == 1 && i != id) -> assert(p[id] != undef) }
   od
}
#elif V == 2
scalarset T[3];
T o;
T p[T];
bit a[T];
bool b;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { a[id] == 0 -> a[id] = 1; select (o : T); p[id] = o }
   :: atomic { exists (i : T) (a[p[i]] == 1 && i != id) -> a[id] = 0 }
   od
}
#elif V == 3
scalarset T[3];
T o;
T p[T];
bit a[T];
bool b;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { a[id] == 0 -> a[id] = 1; select (o : T); p[id] = o }
   :: atomic { count (i : T) (p[i] != undef && a[p[i]] == 0) > 3 -> assert(false) }
   od
}
#endif
