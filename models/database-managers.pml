// Data base managers: N sites keep copies of a data base. A site that wants to update reserves the
// (single) right to do so, sends the update to all other sites and waits for all acknowledgements.
// Checked: no deadlock. `local`, `xr` and `xs` are what lets partial order reduction work here.
//
// expect verdict=holds
// expect por=off states=32 matched=15 transitions=47 errors=0
// expect por=on states=20 matched=3 transitions=23 errors=0
// expect -DN=7 por=off states=5112 matched=15323 transitions=20435 errors=0
// expect -DN=7 por=on states=100 matched=7 transitions=107 errors=0
// expect -DN=8 por=off states=17506 matched=64168 transitions=81674 errors=0
// expect -DN=8 por=on states=130 matched=8 transitions=138 errors=0
// expect -DN=9 por=off states=59060 matched=255897 transitions=314957 errors=0
// expect -DN=9 por=on states=164 matched=9 transitions=173 errors=0

#ifndef N
#define N 3
#endif

/* 2 <= N <= 9; EACH(X) is X(0) X(1) .. X(N-1) */
#if N == 2
#define EACH(X) X(0) X(1)
#elif N == 3
#define EACH(X) X(0) X(1) X(2)
#elif N == 4
#define EACH(X) X(0) X(1) X(2) X(3)
#elif N == 5
#define EACH(X) X(0) X(1) X(2) X(3) X(4)
#elif N == 6
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5)
#elif N == 7
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6)
#elif N == 8
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#else
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#endif

#define ASK(j)      if :: i != j -> req[j]!1 :: else fi;
#define COLLECT(j)  if :: i != j -> ack[j]?1 :: else fi;
#define ANSWERED(j) (i == j || nempty(ack[j])) &&
#define START(j)    run DBM(j, req[j], ack[j]);

chan req[N] = [1] of { bit };
chan ack[N] = [1] of { bit };

local bool busy;     /* someone holds the right to update */
bool flag[N];        /* site i is updating */

proctype DBM(byte i; chan in; chan out)
{
   xr in;
   xs out;

   do
   :: atomic { !busy -> busy = 1 };
      atomic {
         flag[i] = 1;
         EACH(ASK)
      };
      atomic {
         EACH(ANSWERED) true ->
         EACH(COLLECT)
         flag[i] = 0;
         busy = 0
      }
   :: in?1 -> out!1
   od
}

init {
   atomic {
      EACH(START)
   }
}
