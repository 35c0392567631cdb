// A token that can get lost: N stations pass it around through one-slot channels, each hop may lose
// it, and a monitor generates a new one when the whole system is stuck (`timeout`).
// Checked: never two tokens (assertion), no deadlock. With -DIMPATIENT the monitor does not wait for
// the timeout (bug: two tokens).
//
// expect verdict=holds
// expect -DIMPATIENT verdict=violated kind=assertion
// expect por=off states=117 matched=131 transitions=248 errors=0
// expect por=on states=57 matched=44 transitions=101 errors=0
// expect -DIMPATIENT por=off states=413 matched=704 transitions=1117 errors=24
// expect -DIMPATIENT por=on states=207 matched=164 transitions=371 errors=12

#define N 3
#define LIMIT 2

chan slot[N] = [1] of { byte };          /* the token carries a generation number */
byte holding;

proctype station(byte i; chan in; chan out)
{
   byte generation;

   do
   :: atomic { in?generation; holding++ };
      assert(holding == 1);
      if
      :: atomic { out!generation; holding-- }
      :: holding--                       /* lost */
      fi;
      generation = 0
   od
}

active proctype monitor()
{
   byte generation, spare;

   do
#ifdef IMPATIENT
   :: spare < LIMIT ->
      spare++;
      slot[0]!generation
#endif
   :: timeout ->
      generation = (generation + 1) % LIMIT;
      slot[0]!generation
   od
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         run station(i, slot[i], slot[(i + 1) % N])
      }
   }
}
