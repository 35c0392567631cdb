// Peterson's mutual exclusion algorithm for N processes (2 <= N <= 7), the instance used in the
// SymmSpin literature. Checked: never two processes in the critical section (assertion), no deadlock.
// The waiting condition is evaluated in one atomic step and retried by leaving the atomic with a goto.
// Its structure (busy wait through a local `ok`, `turn` initially undefined) follows the Peterson
// test model of TopSPIN; the text is this project's own.
//
// expect verdict=holds
// expect -DN=2 por=off states=263 matched=263 transitions=526 errors=0
// expect -DN=2 por=on states=154 matched=107 transitions=261 errors=0
// expect por=off states=11318 matched=22635 transitions=33953 errors=0
// expect por=on states=4992 matched=6628 transitions=11620 errors=0
// bench -DN=4 por=off states=542921 matched=1628761 transitions=2171682
// bench -DN=4 por=on states=202673 matched=353054 transitions=555727

#ifndef N
#define N 3
#endif

/* process j does not hinder process i at level k */
#define BELOW(j) (i == j || flag[j] < k)

#if N == 2
#define ALL_BELOW (BELOW(0) && BELOW(1))
#elif N == 3
#define ALL_BELOW (BELOW(0) && BELOW(1) && BELOW(2))
#elif N == 4
#define ALL_BELOW (BELOW(0) && BELOW(1) && BELOW(2) && BELOW(3))
#elif N == 5
#define ALL_BELOW (BELOW(0) && BELOW(1) && BELOW(2) && BELOW(3) && BELOW(4))
#elif N == 6
#define ALL_BELOW (BELOW(0) && BELOW(1) && BELOW(2) && BELOW(3) && BELOW(4) && BELOW(5))
#else
#define ALL_BELOW (BELOW(0) && BELOW(1) && BELOW(2) && BELOW(3) && BELOW(4) && BELOW(5) && BELOW(6))
#endif

byte flag[N];      /* the level process i has reached, 0 = not interested */
byte turn[N];      /* turn[k]: the last process that entered level k, N = none yet */
byte ncrit;        /* number of processes in the critical section */

proctype P(byte i)
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
            ok = ALL_BELOW;
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

init {
   atomic {
      turn[0] = N;   /* never used; a value that stands for no process */
      turn[1] = N;
#if N > 2
      turn[2] = N;
#endif
#if N > 3
      turn[3] = N;
#endif
#if N > 4
      turn[4] = N;
#endif
#if N > 5
      turn[5] = N;
#endif
#if N > 6
      turn[6] = N;
#endif
      run P(0);
      run P(1);
#if N > 2
      run P(2);
#endif
#if N > 3
      run P(3);
#endif
#if N > 4
      run P(4);
#endif
#if N > 5
      run P(5);
#endif
#if N > 6
      run P(6);
#endif
   }
}
