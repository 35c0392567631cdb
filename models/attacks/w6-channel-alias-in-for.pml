// The elements of an array of channels are one and the same channel, so that a loop over members sends or receives in
// the order of the members.
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
T first;
chan sq = [3] of { T };
chan ch[T];
bool go;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; for (i : T) { ch[i] = sq } }
   :: atomic { o != undef && !go -> go = 1; for (i : T) { ch[i]!i }; sq?first; assert(first != o) }
   od
}
#elif V == 1
scalarset T[2];
T o;
chan sq = [2] of { T };
chan ch[T];
bool go;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; for (i : T) { ch[i] = sq } }
   :: atomic { o != undef && !go -> go = 1; for (i : T) { ch[i]!i }; assert(!sq?[eval(o)]) }
   od
}
#elif V == 2
scalarset T[2];
T o;
T got[T];
chan sq = [2] of { T };
chan ch[T];
bool go;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id; for (i : T) { ch[i] = sq }; sq!id; sq!undef }
   :: atomic { o != undef && !go -> go = 1; for (i : T) { ch[i]?got[i] }; assert(got[o] != o) }
   od
}
#elif V == 3
scalarset T[3];
T o;
T first;
chan ch[T] = [1] of { T };
bool go;

active [T] proctype P(T id)
{
end:
   do
   :: atomic { o == undef -> o = id }
   :: atomic { o != undef && !go -> go = 1; for (i : T) { ch[i]!i }; ch[o]?first; assert(first == o) }
   od
}
#endif
