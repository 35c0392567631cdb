bool want[2];      /* want[i]: worker i is inside, or about to be */
byte inside;       /* how many workers are in the critical section */

active [2] proctype worker()
{
   byte other = 1 - _pid;

   do
   :: !want[other];
      want[_pid] = true;
      inside++;
      assert(inside == 1);
      inside--;
      want[_pid] = false
   od
}
