// A sense-reversing barrier: N processes work in rounds and nobody starts a round before everybody has
// finished the one before. Checked: rounds never differ by more than one (assertion), no deadlock.
// The ltl formula says that the barrier is passed again and again (it needs fairness).
//
// expect verdict=holds
// expect por=off states=2756 matched=4325 transitions=7081 errors=0
// expect por=on states=1386 matched=992 transitions=2378 errors=0
// expect -DN=4 por=off states=23904 matched=58721 transitions=82625 errors=0
// expect -DN=4 por=on states=8716 matched=8176 transitions=16892 errors=0

#ifndef N
#define N 3
#endif

byte missing = N;          /* processes that have not arrived yet */
bit sense;
byte round[N];             /* modulo 4 */

active [N] proctype process()
{
   bit mine = 1;
   bool last;
   byte j;

   do
   :: atomic {
         round[_pid] = (round[_pid] + 1) % 4;
         j = 0;
         do
         :: j < N ->
            assert(((round[_pid] - round[j]) & 3) != 2);
            j++
         :: else -> j = 0; break
         od
      };
      d_step { missing--; last = (missing == 0) };
      if
      :: last ->
         missing = N;
         sense = mine                            /* releases the others */
      :: else -> (sense == mine)
      fi;
progress:
      mine = 1 - mine
   od
}

ltl again { [] <> (sense == 1) && [] <> (sense == 0) }
