// Szymanski's mutual exclusion algorithm (waiting room with two doors), N processes. Each flag is
// read in a step of its own. Checked: mutual exclusion (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=1028 matched=942 transitions=1970 errors=0
// expect por=on states=658 matched=221 transitions=879 errors=0
// expect -DN=3 por=off states=63883 matched=118890 transitions=182773 errors=0
// expect -DN=3 por=on states=22651 matched=10522 transitions=33173 errors=0

#ifndef N
#define N 2
#endif

/* values of flag[i] */
#define OUTSIDE   0
#define INTENT    1     /* wants to enter the waiting room */
#define WAITING   2     /* in the waiting room, others are still coming in */
#define DOORWAY   3     /* passing the first door */
#define INNER     4     /* passed the second door */

byte flag[N];
byte inside;

active [N] proctype process()
{
   byte me = _pid;
   byte j;

   do
   :: flag[me] = INTENT;
      for (j : 0 .. N - 1) {
         flag[j] < DOORWAY             /* wait for the first door to be open */
      };
      flag[me] = DOORWAY;

      for (j : 0 .. N - 1) {
         if
         :: flag[j] == INTENT -> goto room
         :: else
         fi
      };
      goto inner;

room: flag[me] = WAITING;
      j = 0;
      do                               /* until somebody has closed the first door */
      :: flag[j] == INNER -> break
      :: else -> j = (j + 1) % N
      od;

inner:
      flag[me] = INNER;
      j = 0;
      do
      :: j < me -> (flag[j] < WAITING); j++
      :: else -> break
      od;

      inside++;
      assert(inside == 1);
      inside--;

      j = me + 1;
      do
      :: j < N -> (flag[j] < WAITING || flag[j] == INNER); j++
      :: else -> break
      od;
      flag[me] = OUTSIDE
   od
}
