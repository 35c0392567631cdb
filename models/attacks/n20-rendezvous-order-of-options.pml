// A rendezvous for which nobody waits lets a process go on as if no escape could be taken, so the order of options matters.
// In a D_proctype it must not: two statements are executable at once, whichever stands first.
//
// expect verdict=violated kind=nondeterminism
// expect -DV=1 verdict=violated kind=nondeterminism
// expect -DV=2 verdict=violated kind=nondeterminism
// expect -DV=3 verdict=violated kind=assertion
// expect -DV=4 verdict=violated kind=assertion
// expect -DV=5 verdict=holds

#ifndef V
#define V 0
#endif

chan c[2] = [0] of { bit };
bool f[2], k, m;

#if V < 3
active [2] proctype P()
{
   bit v;
end:
   do
   :: atomic { !k -> k = 1; f[_pid] = 1 };
end1: c[_pid]?v;
      v = 0;
      atomic { k = 0; f[_pid] = 0 }
   od
}
#else
active [2] proctype P()
{
end:
   do
   :: atomic { !k -> k = 1; f[_pid] = 1 }
   :: atomic { m && f[_pid] -> assert(V == 5) }
   od
}
#endif

#if V < 3
active D_proctype S()
{
end:
   do
#if V == 0
   :: c[0]!1
   :: f[0] -> skip
   :: f[1] -> skip
   :: c[1]!1
#elif V == 1
   :: c[1]!1
   :: f[1] -> skip
   :: f[0] -> skip
   :: c[0]!1
#else
   :: c[0]!1
   :: f[0] || f[1] -> skip
   :: c[1]!1
#endif
   od
}
#else
active proctype S()
{
   k;
   {
end:  do
      :: !m -> m = 1
      od
   } unless {
      if
#if V == 3
      :: f[0] -> skip
      :: c[0]!1
      :: c[1]!1
      :: f[1] -> skip
#elif V == 4
      :: f[1] -> skip
      :: c[1]!1
      :: c[0]!1
      :: f[0] -> skip
#else
      :: f[0] -> skip
      :: f[1] -> skip
#endif
      fi
   };
end2:
   false
}
#endif
