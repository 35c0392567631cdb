// A sense-reversing barrier: N processes work in rounds and nobody starts a round before everybody has
// finished the one before. Checked: rounds never differ by more than one (assertion), no deadlock.
// The ltl formula says that process 0 goes through the barrier again and again (needs fairness).
//
// expect verdict=holds
// expect por=off
// expect por=on
// expect -DN=4 por=off
// expect -DN=4 por=on

#ifndef N
#define N 3
#endif

byte missing = N;          /* processes that have not arrived yet */
bit sense;
unsigned round[N] : 2;

active [N] proctype process()
{
   bit mine = 1;
   bool last;
   byte j;

   do
   :: atomic {
         round[_pid] = round[_pid] + 1;          /* modulo 4, by truncation */
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
