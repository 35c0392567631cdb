bool want[2];      /* want[i]: worker i is inside, or about to be */
byte inside;       /* how many workers are in the critical section */
byte turn;         /* who may go first when both want to */

active [2] proctype worker()
{
   byte other = 1 - _pid;

   do
   :: want[_pid] = true;
      turn = other;
      (!want[other] || turn == _pid);
      inside++;
      assert(inside == 1);
      inside--;
      want[_pid] = false
   od
}
