// Selective repeat: both sides have a window of W messages numbered modulo M; the receiver keeps
// messages that arrive early. Channels lose messages; a timeout repeats what is unacknowledged.
// Checked: delivered values count up modulo V (assertion), no deadlock. Needs 2W <= M: with M = 3 the
// receiver's new window overlaps the old one and a repetition is delivered as new.
//
// expect verdict=holds
// expect -DM=3 verdict=violated kind=assertion
// expect por=off states=9315 matched=6702 transitions=16017 errors=0
// expect por=on states=8061 matched=3736 transitions=11797 errors=0
// expect -DM=3 por=off states=73385 matched=51847 transitions=125232 errors=5760
// expect -DM=3 por=on states=63723 matched=28269 transitions=91992 errors=3322

#define W 2
#ifndef M
#define M 4
#endif
#define V 5

typedef Packet { byte seq; byte value };
typedef Slot { bool taken; byte value };

chan wire = [2] of { Packet };
chan acks = [2] of { byte };

inline transmit(offset)
{
   d_step {
      sent[offset] = true;
      p.seq = (base + offset) % M;
      p.value = (value + offset) % V
   };
   if
   :: wire!p
   :: skip                                    /* lost */
   fi;
   d_step { p.seq = 0; p.value = 0 }
}

active proctype sender()
{
   Packet p;
   byte base, value;             /* sequence number and value of the window's first message */
   bool acked[W], sent[W];
   byte a;

   do
   :: !sent[0] -> transmit(0)
   :: !sent[1] -> transmit(1)
   :: acks?a ->
      atomic {
         if
         :: a == base -> acked[0] = true
         :: a == (base + 1) % M -> acked[1] = true
         :: else                              /* outside the window: old */
         fi;
         a = 0;
         do                                   /* move the window over what is acknowledged */
         :: acked[0] ->
            acked[0] = acked[1];
            sent[0] = sent[1];
            acked[1] = false;
            sent[1] = false;
            base = (base + 1) % M;
            value = (value + 1) % V
         :: else -> break
         od
      }
   :: timeout ->
      d_step { sent[0] = acked[0]; sent[1] = acked[1] }
   od
}

active proctype receiver()
{
   Packet p;
   Slot slot[W];                 /* early messages; slot[0] is the one wanted next */
   byte base, expected, offset;

   do
   :: wire?p ->
      atomic {
         offset = (p.seq + M - base) % M;
         if
         :: offset < W ->
            slot[offset].taken = true;
            slot[offset].value = p.value
         :: else                              /* delivered before, acknowledge again */
         fi;
         offset = 0;
         do
         :: slot[0].taken ->
            assert(slot[0].value == expected);
            expected = (expected + 1) % V;
            base = (base + 1) % M;
            slot[0].taken = slot[1].taken;
            slot[0].value = slot[1].value;
            slot[1].taken = false;
            slot[1].value = 0
         :: else -> break
         od
      };
      if
      :: acks!p.seq
      :: skip                                 /* lost */
      fi
   od
}
