// The filter lock: Peterson's idea with N-1 waiting levels, at each of which at least one process is
// held back. The other processes are inspected one after the other.
// Checked: at most N-L processes past level L (so mutual exclusion at the last), no deadlock.
//
// expect verdict=holds
// expect -DN=2 por=off states=344 matched=319 transitions=663 errors=0
// expect -DN=2 por=on states=190 matched=83 transitions=273 errors=0
// expect por=off states=30353 matched=54589 transitions=84942 errors=0
// expect por=on states=11250 matched=8372 transitions=19622 errors=0

#ifndef N
#define N 3
#endif

byte level[N];
byte victim[N];
byte past[N];          /* past[L]: how many processes are past level L (for the assertion only) */

active [N] proctype process()
{
   byte me = _pid;
   byte at;
   byte k;

   do
   :: for (at : 1 .. N - 1) {
         level[me] = at;
         victim[at] = me;
         k = 0;
         do
         :: k == N -> break
         :: k != N && (k == me || level[k] < at || victim[at] != me) -> k++
         od;
         atomic { past[at]++; assert(past[at] <= N - at) }
      };
critical:
      atomic {
         level[me] = 0;
         for (at : 1 .. N - 1) {
            past[at]--
         };
         at = 0
      }
   od
}
