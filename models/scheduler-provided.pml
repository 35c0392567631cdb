// A preemptive round-robin scheduler: tasks carry a `provided` clause and run only while the
// scheduler has given them the processor; a task masks the timer interrupt around its critical
// section. Checked: no other task runs inside a critical section (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=576 matched=193 transitions=769 errors=0
// expect por=on states=576 matched=193 transitions=769 errors=0

#define TASKS 3

byte cpu;
bool masked;
byte shared_count;

active [TASKS] proctype task() provided (cpu == _pid)
{
   byte copy;
   bit work;

   do
   :: masked = true;
      copy = shared_count;                /* read - modify - write, safe while masked */
      shared_count = (copy + 1) % 4;
      assert(shared_count == (copy + 1) % 4);
      copy = 0;
      masked = false
   :: work = 1 - work                     /* private work, may be preempted */
   od
}

active proctype timer() provided (!masked)
{
   do
   :: cpu = (cpu + 1) % TASKS
   od
}
