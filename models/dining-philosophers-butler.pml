// Dining philosophers with a butler who lets at most N-1 of them into the dining room. Forks are
// channels holding a token. Checked: neighbours never eat together (assertion), no deadlock.
// With -DNOBUTLER everybody may enter and the philosophers deadlock.
//
// expect verdict=holds
// expect -DNOBUTLER verdict=violated kind=invalid-end-state
// expect por=off states=1166 matched=2228 transitions=3394 errors=0
// expect por=on states=1166 matched=2228 transitions=3394 errors=0
// expect -DNOBUTLER por=off states=1967 matched=4815 transitions=6782 errors=1
// expect -DNOBUTLER por=on states=1967 matched=4815 transitions=6782 errors=1
// bench -DN=7 por=off states=457018 matched=2135000 transitions=2592018
// bench -DN=7 por=on states=457018 matched=2135000 transitions=2592018

#ifndef N
#define N 4
#endif
#ifdef NOBUTLER
#define SEATS N
#else
#define SEATS (N - 1)
#endif

chan room = [SEATS] of { bit };
chan fork[N] = [1] of { bit };
bool eating[N];

proctype philosopher(byte i)
{
   byte right = (i + 1) % N;

   do
   :: room!1;                        /* blocks while the room is full */
      fork[i]?1;
      fork[right]?1;
      eating[i] = true;
      assert(!eating[right] && !eating[(i + N - 1) % N]);
      eating[i] = false;
      fork[i]!1;
      fork[right]!1;
      room?1
   od
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         fork[i]!1;
         run philosopher(i)
      }
   }
}
