// Leader election on a unidirectional ring with O(n log n) messages (Dolev, Klawe and Rodeh). In
// each phase an active node compares the value it holds with those of its two active predecessors
// and survives only if its nearest predecessor holds a local maximum, whose value it takes over.
// Checked: exactly one winner, which holds the largest number (assertions), all nodes stop.
//
// expect verdict=holds
// expect por=off states=993 matched=1704 transitions=2697 errors=0
// expect por=on states=83 matched=17 transitions=100 errors=0
// bench -DN=8 -DSTEP=7 por=off states=458083 matched=2067590 transitions=2525673
// bench -DN=8 -DSTEP=7 por=on states=611 matched=769 transitions=1380

#ifndef N
#define N 4
#endif
#ifndef STEP
#define STEP 3          /* coprime with N: numbers are placed on the ring with this stride */
#endif

mtype = { candidate, neighbour, winner };

chan ring[N] = [2] of { mtype, byte };
byte winners;

proctype node(byte start; chan in; chan out)
{
   mtype kind;
   byte mine = start;
   byte left, far;

   xr in;
   xs out;

   do
   :: out!candidate(mine);
      in?candidate(left);
      if
      :: left == mine ->               /* our own value came all the way round */
         winners++;
         assert(winners == 1 && mine == N);
         out!winner(mine);
         in?winner(eval(mine));
         goto stop
      :: else
      fi;
      out!neighbour(left);
      in?neighbour(far);
      if
      :: left > mine && left > far -> mine = left
      :: else -> break                 /* passive from now on */
      fi
   od;

   do                                  /* relay */
   :: in?kind(left) ->
      out!kind(left);
      if
      :: kind == winner -> break
      :: else
      fi
   od;
stop:
   assert(winners == 1)
}

init {
   byte i;
   atomic {
      do
      :: i < N ->
         run node(1 + (i * STEP) % N, ring[i], ring[(i + 1) % N]);
         i++
      :: else -> break
      od
   }
}
