// The `_pid` of a process of a declared scalarset is a plain number that goes with the member.
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
bool f[T];
byte x;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; f[id] = 1 }
   :: atomic { o == id && _pid == 0 -> assert(false) }
   od
}
#elif V == 1
scalarset T[2];
T o;
bool f[T];
byte x;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; f[id] = 1 }
   :: atomic { o == id -> x = _pid; assert(x) }
   od
}
#elif V == 2
scalarset T[3];
T o;
bool f[T];
byte x;

active [T] proctype P(T id) provided (_pid != 2)
{
end:
   do
   :: atomic { o == undef -> o = id; f[id] = 1 }
   :: atomic { o == id && f[id] -> assert(false) }
   od
}
#elif V == 3
scalarset T[3];
T o;
bool f[T];
byte x;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; f[id] = 1 }
   :: atomic { o == id && _pid > 2 -> assert(false) }
   od
}
#endif
