// A token ring: a single token circulates over rendezvous links; a station sends a frame only while
// it holds the token, the frame goes once around the ring and is removed by its sender.
// Checked: never two frames on the ring (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=1862 matched=251 transitions=2113 errors=0
// expect por=on states=1808 matched=237 transitions=2045 errors=0
// bench -DN=5 por=off states=1265837 matched=116951 transitions=1382788
// bench -DN=5 por=on states=1265110 matched=132255 transitions=1397365

#ifndef N
#define N 3
#endif

mtype = { token, frame };

chan link[N] = [0] of { mtype, byte, byte };      /* kind, from, to */
byte frames;
byte delivered[N];

proctype station(byte me; chan in; chan out)
{
   byte from, to;

   if
   :: me == 0 -> goto holding
   :: else
   fi;

listen:
   do
   :: in?token(_, _) -> break
   :: in?frame(from, to) ->
      if
      :: to == me -> delivered[me] = from
      :: else
      fi;
      out!frame(from, to)
   od;

holding:
   if
   :: skip                                        /* nothing to send */
   :: to = (me + 1) % N;                          /* pick any other station */
      do
      :: (to + 1) % N != me -> to = (to + 1) % N
      :: break
      od;
      frames++;
      assert(frames == 1);
      out!frame(me, to);
      in?frame(eval(me), eval(to));
      assert(delivered[to] == me);
      frames--
   fi;
   d_step { from = 0; to = 0 };
   out!token(0, 0);
   goto listen
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         run station(i, link[i], link[(i + 1) % N])
      }
   }
}
