// Peterson's algorithm for two processes, with the two halves of the waiting condition read
// separately. Checked: mutual exclusion (assertion in the critical section), no deadlock.
//
// expect verdict=holds
// expect por=off states=38 matched=27 transitions=65 errors=0
// expect por=on states=38 matched=27 transitions=65 errors=0

bool want[2];
bit turn;
byte inside;

active [2] proctype process()
{
   byte me = _pid;
   byte other = 1 - _pid;

   do
   :: want[me] = true;
      turn = other;
      if
      :: !want[other]
      :: turn == me
      fi;
critical:
      inside++;
      assert(inside == 1);
      inside--;
      want[me] = false
   od
}
