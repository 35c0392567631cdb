// A process is named by its number where the members are a declared scalarset.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
scalarset T[2];
T o;
bool f[T];
byte x;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; f[id] = 1 }
   :: atomic { o != undef && o != id -> assert(!P[0]@busy) }
   :: o == id -> busy: skip
   od
}
#elif V == 1
scalarset T[3];
T o;
bool f[T];
byte x;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; f[id] = 1 }
   :: o == id -> x = 1; end1: false
   :: atomic { x == 1 && pc_value(0) != pc_value(1) && pc_value(0) != pc_value(2) -> assert(false) }
   od
}
#elif V == 2
scalarset T[2];
T o;
bool f[T];
byte x;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; f[id] = 1 }
   :: atomic { o == id -> x = 1; set_priority(0, 2) }
   :: atomic { x == 1 && o != id -> assert(false) }
   od
}
#elif V == 3
scalarset T[2];
T o;
bool f[T];
byte x;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; f[id] = 1 }
   :: atomic { o == id -> assert(!P[0]@busy) }
   :: false -> busy: skip
   od
}
#endif
