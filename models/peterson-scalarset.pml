// Peterson's mutual exclusion algorithm for N processes, as peterson.pml, over a scalarset. There is no init, and so one
// state less. benches/rumur/peterson.m is the same in Murphi, state by state.
// Checked: never two processes in the critical section (assertion), no deadlock.
//
// expect verdict=holds
// expect -DN=2 por=off states=262 matched=263 transitions=525 errors=0
// expect -DN=2 por=on states=153 matched=107 transitions=260 errors=0
// expect por=off states=11317 matched=22635 transitions=33952 errors=0
// expect por=on states=4991 matched=6628 transitions=11619 errors=0
// bench -DN=4 por=off states=542920 matched=1628761 transitions=2171681
// bench -DN=4 por=on states=202672 matched=353054 transitions=555726

#ifndef N
#define N 3
#endif

scalarset PID[N];

byte flag[PID];    /* the level a process has reached, 0 = not interested */
PID turn[N];       /* turn[k]: the last process that entered level k */
byte ncrit;        /* number of processes in the critical section */

active [PID] proctype P(PID i)
{
   byte k;
   bool ok;

   do
   :: k = 1;
      do
      :: k < N ->
         flag[i] = k;
         turn[k] = i;
again:   atomic {
            ok = (forall (j : PID) (i == j || flag[j] < k));
            if
            :: ok || turn[k] != i
            :: else -> goto again
            fi
         };
         k++
      :: else -> break
      od;
      atomic { ncrit++; assert(ncrit == 1) };
      ncrit--;
      flag[i] = 0
   od
}
