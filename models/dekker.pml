// Dekker's algorithm, the first correct software solution for two processes.
// Checked: mutual exclusion (assertion in the critical section), no deadlock. The ltl formula
// says the same in temporal logic; it is not needed for the state counts.
//
// expect verdict=holds
// expect por=off states=146 matched=129 transitions=275 errors=0
// expect por=on states=146 matched=129 transitions=275 errors=0

bool want[2];
byte turn;
byte inside;

active [2] proctype process()
{
   byte me = _pid;
   byte other = 1 - _pid;

   do
   :: want[me] = true;
      do
      :: want[other] ->
         if
         :: turn == other ->       /* back off until it is our turn */
            want[me] = false;
            (turn == me);
            want[me] = true
         :: else                   /* our turn: insist, the other will back off */
         fi
      :: else -> break
      od;
      inside++;
      assert(inside == 1);
      inside--;
      turn = other;
      want[me] = false
   od
}

ltl exclusion { [] (inside <= 1) }
