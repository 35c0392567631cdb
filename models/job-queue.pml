// A priority queue of jobs: producers insert with sorted send (!!), so the worker always takes the
// most urgent job first; a canceller removes a particular job from the middle with random receive
// (??). Also uses copying receives and polls. Checked: nothing more urgent is left behind when a job
// is taken (assertions), the queue can always be emptied.
//
// expect verdict=holds
// expect por=off states=6825 matched=10838 transitions=17663 errors=0
// expect por=on states=3467 matched=1907 transitions=5374 errors=0

#define JOBS 4

chan queue = [3] of { byte, byte };          /* urgency (0 = most urgent), job number */
byte finished, cancelled;

active proctype producer()
{
   byte job, urgency;

   for (job : 1 .. JOBS) {
      select (urgency : 0 .. 2);
      queue!!urgency, job
   }
}

active proctype worker()
{
   byte urgency, job, head;

end:
   do
   :: atomic {
         queue?<head, _> ->                  /* look before taking */
         queue?urgency, job;
         assert(urgency == head);
         assert(urgency < 1 || !queue??[0, _]);
         assert(urgency < 2 || !queue??[1, _]);
         finished++;
         urgency = 0;
         job = 0;
         head = 0
      };
      assert(finished + cancelled <= JOBS)
   od
}

active proctype canceller()
{
   byte urgency;

end:
   do
   :: queue??[_, 2] ->
      atomic {
         if
         :: queue??urgency, 2 -> cancelled++
         :: !queue??[_, 2]                   /* the worker was faster */
         fi;
         urgency = 0
      }
   :: queue ?? <urgency, eval(JOBS)> ->
      assert(urgency <= 2);
      urgency = 0;
      break
   od
}
