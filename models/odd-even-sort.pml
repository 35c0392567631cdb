// Odd-even transposition sort by N processes on a line that exchange values with their neighbours
// over rendezvous channels for N rounds. The array starts in descending order or with all equal
// values and anything in between (two values, chosen freely). Checked: sorted at the end (assertion).
//
// expect verdict=holds
// expect por=off states=6981 matched=10980 transitions=17961 errors=0
// expect por=on states=1421 matched=180 transitions=1601 errors=0
// bench -DN=4 por=off states=204853 matched=501528 transitions=706381
// bench -DN=4 por=on states=18813 matched=2936 transitions=21749

#ifndef N
#define N 3
#endif

chan right[N] = [0] of { byte };       /* from cell i to cell i+1 */
chan left[N] = [0] of { byte };        /* from cell i+1 to cell i */
byte a[N];
byte finished;

proctype cell(byte i)
{
   byte round, other;

   for (round : 0 .. N - 1) {
      if
      :: (round + i) % 2 == 0 && i < N - 1 ->      /* left partner: keep the smaller */
         right[i]!a[i];
         left[i]?other;
         a[i] = (other < a[i] -> other : a[i])
      :: (round + i) % 2 == 1 && i > 0 ->          /* right partner: keep the larger */
         right[i - 1]?other;
         left[i - 1]!a[i];
         a[i] = (other > a[i] -> other : a[i])
      :: else                                      /* no partner in this round */
      fi;
      other = 0
   };
   finished++
}

init {
   byte i;

   for (i : 0 .. N - 1) {
      if
      :: a[i] = N - i
      :: a[i] = 1
      fi
   };
   atomic {
      for (i : 0 .. N - 1) {
         run cell(i)
      }
   };
   (finished == N);
   for (i : 1 .. N - 1) {
      assert(a[i - 1] <= a[i])
   }
}
