// Each of these is asymmetric in one way that one rule alone sees: a process that may lose control at any point, channels of
// different capacity, a label that only one control state has, the largest of values that do not fit, values that are set
// in turn, a variable that only others read, largest and least in turn.
//
// expect verdict=holds
// expect -DV=1 verdict=violated kind=invalid-end-state
// expect -DV=2 verdict=holds
// expect -DV=3 verdict=holds
// expect -DV=4 verdict=violated kind=assertion
// expect -DV=5 verdict=violated kind=assertion
// expect -DV=6 verdict=violated kind=assertion
// expect -DV=7 verdict=holds
// expect -DV=8 verdict=holds

#ifndef V
#define V 0
#endif

bool f[2], go;
byte x, w = 9, v[2];

#if V == 0
active [2] proctype P() provided (!go)
{
end:
   do
   :: atomic { x = 0; go = 1; if :: x == 0 -> skip :: else -> w = 0 fi }
   :: atomic { w == _pid -> w = 9; x = 0 }
   od
}

active proctype Q()
{
end:
   do
   :: atomic { go -> x = 1; go = 0 }
   od
}
#elif V == 1
chan one = [1] of { bit }, two = [2] of { bit };

active [2] proctype P()
{
   do
   :: _pid == 0 -> one!1
   :: _pid == 1 -> two!1
   od
}
#elif V == 2
active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1 }
   :: atomic { S@here -> x = 1 }
   :: x == 5 -> skip
   od
}

active proctype S()
{
end:
   if
   :: f[0] ->
end0:
here: false
   :: f[1] ->
end1:
there: false
   fi
}
#elif V == 3 || V == 7
#if V == 3
bit m;
#define BODY m = (v[0] > m -> v[0] : m); m = (v[1] > m -> v[1] : m)
#else
byte m;
#define BODY m = (v[0] > m -> v[0] : m); m = (v[0] < m -> v[0] : m); m = (v[1] > m -> v[1] : m); m = (v[1] < m -> v[1] : m)
#endif

active [2] proctype P()
{
end:
   do
   :: v[_pid] < 2 -> v[_pid]++
   :: d_step { BODY }
   :: m == 1 -> m = 0
   od
}
#elif V == 4
active [2] proctype P()
{
end:
   do
   :: atomic {
         !go -> go = 1; f[_pid] = 1;
         d_step { if :: f[0] -> x = 1 :: else -> x = 2 fi; if :: f[1] -> x = 1 :: else -> x = 2 fi }
      }
   :: atomic { x == 1 && f[_pid] -> assert(false) }
   od
}
#elif V == 5 || V == 6
active [2] proctype P()
{
   bool k;
end:
   do
   :: atomic { !go -> go = 1; w = _pid; k = (_pid == V - 5) }
   :: x == 5 -> skip
   od
}

active proctype S()
{
end:
   do
   :: atomic { go -> x = P[w]:k; assert(x == 0) }
   od
}
#else
active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1 }
   :: atomic { go && f[_pid] -> f[_pid] = 0; go = 0 }
   od
}
#endif
