// Processes that look at each other: `_pid`, `_nr_pr`, remote references to a label and to a local
// variable of another process. A spawner keeps at most LIMIT workers alive, an observer compares the
// process count and the workers' progress with the truth. Checked: the assertions and deadlock.
// Only counts without partial order reduction are given: Quotient treats these references differently.
//
// expect verdict=holds
// expect por=off states=984 matched=1961 transitions=2945 errors=0
// expect -DLIMIT=3 por=off states=7006 matched=19967 transitions=26973 errors=0

#ifndef LIMIT
#define LIMIT 2
#endif
#define TOTAL 4

byte started, finished;
bool seen;

proctype worker(byte n)
{
   byte done;

   assert(_pid >= 2);
   do
   :: done < 2 -> done++
   :: done == 2 -> break
   od;
final:
   finished++
}

active proctype spawner()
{
   byte made;

   do
   :: made < TOTAL && _nr_pr < 2 + LIMIT ->
      atomic { run worker(made); made++; started++ }
   :: made == TOTAL -> break
   od;
closing:
   (seen && finished == TOTAL);
   (_nr_pr <= 2)
}

active proctype observer()
{
   do
   :: atomic { _nr_pr > 2 -> assert(_nr_pr <= 2 + LIMIT) }
   :: atomic {
         spawner[0]@closing ->
         assert(started == TOTAL && spawner[0]:made == TOTAL);
         seen = true;
         break
      }
   od
}
