// Data base managers, as database-managers.pml, over a scalarset: N sites keep copies of a data base. A site that wants
// to update reserves the (single) right to do so, sends the update to all other sites and waits for all answers.
// Checked: no deadlock. The model is the plain one's equal, state by state.
//
// expect verdict=holds
// expect por=off states=32 matched=15 transitions=47 errors=0
// expect por=on states=32 matched=15 transitions=47 errors=0
// expect por=spin states=20 matched=3 transitions=23 errors=0
// expect -DN=7 por=off states=5112 matched=15323 transitions=20435 errors=0
// expect -DN=7 por=spin states=100 matched=7 transitions=107 errors=0
// With symmetry (canonical, no partial-order reduction) -DN=7: 31 of 5112 states, 164.90 times fewer.

#ifndef N
#define N 3
#endif

scalarset SITE[N];

chan req[SITE] = [1] of { bit };
chan ack[SITE] = [1] of { bit };

local bool busy;     /* someone holds the right to update */
bool flag[SITE];     /* the site is updating */

proctype DBM(SITE i; chan in; chan out)
{
   xr in;
   xs out;

   do
   :: atomic { !busy -> busy = 1 };
      atomic {
         flag[i] = 1;
         for (j : SITE) {
            if
            :: i != j -> req[j]!1
            :: else
            fi
         }
      };
      atomic {
         forall (j : SITE) (i == j || nempty(ack[j])) ->
         for (j : SITE) {
            if
            :: i != j -> ack[j]?1
            :: else
            fi
         };
         flag[i] = 0;
         busy = 0
      }
   :: in?1 -> out!1
   od
}

init {
   atomic {
      for (j : SITE) {
         run DBM(j, req[j], ack[j])
      }
   }
}
