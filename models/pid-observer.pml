// Processes that look at each other: `_pid`, `_nr_pr`, remote references to a label and to a local
// variable of another process. A spawner keeps at most LIMIT workers alive, an observer compares the
// process count and the workers' progress with the truth. Checked: the assertions and deadlock.
// Only counts without partial order reduction are given: Quotient treats these references differently.
//
// expect verdict=holds
// expect por=off states=993 matched=1975 transitions=2968 errors=1
// expect -DLIMIT=3 por=off states=7021 matched=19993 transitions=27014 errors=1

#ifndef LIMIT
#define LIMIT 2
#endif
#define TOTAL 4

byte started, finished;

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
   (finished == TOTAL);
   (_nr_pr <= 2)
}

active proctype observer()
{
   do
   :: atomic { _nr_pr > 2 -> assert(_nr_pr <= 2 + LIMIT) }
   :: atomic { spawner[0]@closing -> assert(started == TOTAL && spawner[0]:made == TOTAL); break }
   od
}
