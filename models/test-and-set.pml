// Test-and-test-and-set spin lock shared by N processes. Each process spins reading the lock and
// only then tries the atomic swap. Checked: mutual exclusion (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=1100 matched=2201 transitions=3301 errors=0
// expect por=on states=1022 matched=1989 transitions=3011 errors=0
// expect -DN=5 por=off states=85712 matched=342849 transitions=428561 errors=0
// expect -DN=5 por=on states=79385 matched=274774 transitions=354159 errors=0

#ifndef N
#define N 3
#endif

bit lock;
show byte owner = N;       /* N = nobody */

inline swap(old)
{
   d_step { old = lock; lock = 1 }
}

active [N] proctype process()
{
   bit taken;

retry:
   do
   :: lock == 0 -> break
   :: else -> skip                 /* spin */
   od;
   swap(taken);
   if
   :: taken -> goto retry
   :: else
   fi;
   assert(owner == N);
   owner = _pid;
   assert(owner == _pid);
   owner = N;
   lock = 0;
   goto retry
}
