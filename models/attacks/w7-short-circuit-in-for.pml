// `||` and `&&` leave out their right side, so that whether something goes wrong depends on the order of the members.
//
// expect verdict=violated kind=division-by-zero
// expect -DV=1 verdict=violated kind=division-by-zero
// expect -DV=2 verdict=violated kind=index-out-of-range
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
scalarset T[3];
T o;
bool b;
bool go;
byte c[T] = 1;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; c[id] = 0 }
   :: atomic { o != undef && !go -> go = 1; b = 0; for (i : T) { b = b || (1 / c[i] == 1) } }
   od
}
#elif V == 1
scalarset T[2];
T o;
bool b;
bool go;
byte c[T] = 2;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; c[id] = 0 }
   :: atomic { o != undef && !go -> go = 1; b = 1; for (i : T) { b = b && (1 / c[i] == 1) } }
   od
}
#elif V == 2
scalarset T[2];
T o;
bool b;
bool go;
byte c[T] = 1;
byte a[2];

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; c[id] = 9 }
   :: atomic { o != undef && !go -> go = 1; b = 0; for (i : T) { b = b || (a[c[i]] == 0) } }
   od
}
#elif V == 3
scalarset T[3];
T o;
bool b;
bool go;
byte c[T] = 1;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; c[id] = 0 }
   :: atomic { o != undef && !go -> go = 1; b = 0; for (i : T) { b = b || (c[i] == 0) } }
   od
}
#endif
