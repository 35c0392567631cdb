// Leader election on a unidirectional ring (Chang and Roberts): a node forwards larger numbers and
// swallows smaller ones; a node that gets its own number back has won and tells everybody.
// Any node may start spontaneously. Checked: only the largest number wins (assertion), every node
// learns the result and stops (no invalid end state).
//
// expect verdict=holds
// expect por=off states=1776 matched=3237 transitions=5013 errors=0
// expect por=on states=242 matched=25 transitions=267 errors=0
// expect -DN=5 por=off states=10888 matched=27855 transitions=38743 errors=0
// expect -DN=5 por=on states=526 matched=56 transitions=582 errors=0
// bench -DN=7 por=off states=416515 matched=1670978 transitions=2087493
// bench -DN=7 por=on states=2275 matched=246 transitions=2521

#ifndef N
#define N 4
#endif
#ifndef STEP
#define STEP 1          /* coprime with N: numbers are placed on the ring with this stride */
#endif

mtype = { election, elected };

chan link[N] = [N] of { mtype, byte };

proctype node(byte me; chan in; chan out)
{
   bool started;
   byte id;

   xr in;
   xs out;

   do
   :: !started ->
      started = true;
      out!election(me)
   :: in?election(id) ->
      if
      :: id > me ->
         started = true;            /* no chance to win any more */
         out!election(id)
      :: id < me ->
         if
         :: !started -> started = true; out!election(me)
         :: else                    /* swallow */
         fi
      :: id == me -> out!elected(me)
      fi
   :: in?elected(id) ->
      assert(id == N);
      if
      :: id != me -> out!elected(id)
      :: else                       /* the announcement is back home */
      fi;
      break
   od
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         run node(1 + (i * STEP) % N, link[i], link[(i + 1) % N])
      }
   }
}
