// A loop over members gathers with two operators, so that its result depends on the order of the members.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
scalarset T[3];
T o;
bit b;
bool go;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id }
   :: atomic {
         o != undef && !go -> go = 1; b = 0;
         for (i : T) { b = b || (i == i); b = b && (i != o) };
         assert(!b)
      }
   od
}
#elif V == 1
scalarset T[2];
T o;
byte n;
bool go;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id }
   :: atomic {
         o != undef && !go -> go = 1; n = 0;
         for (i : T) { n = n + 1; n = n & (i != o) };
         assert(n)
      }
   od
}
#elif V == 2
scalarset T[2];
T o;
bool b;
bool go;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id }
   :: atomic {
         o != undef && !go -> go = 1; b = 1;
         for (i : T) { b = b && (i != o); b = b || (i != o) };
         assert(b)
      }
   od
}
#elif V == 3
scalarset T[3];
T o;
bit b;
bool go;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id }
   :: atomic {
         o != undef && !go -> go = 1; b = 1;
         for (i : T) { b = b && (i != o) };
         assert(!b)
      }
   od
}
#endif
