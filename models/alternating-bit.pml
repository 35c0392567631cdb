// The alternating bit protocol over channels that lose messages: a link process for each direction
// either forwards or drops. The sender repeats after a timeout. Checked: the receiver delivers the
// values 0, 1, .. K-1, 0, .. in order, nothing lost or duplicated (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=124 matched=16 transitions=140 errors=0
// expect por=on states=124 matched=17 transitions=141 errors=0
// expect -DK=8 por=off states=228 matched=28 transitions=256 errors=0
// expect -DK=8 por=on states=228 matched=29 transitions=257 errors=0

#ifndef K
#define K 4
#endif

mtype = { data, ack };

chan s2l = [1] of { mtype, byte, bit };
chan l2r = [1] of { mtype, byte, bit };
chan r2l = [1] of { mtype, bit };
chan l2s = [1] of { mtype, bit };

active proctype sender()
{
   byte value;
   bit seq, b;

   do
   :: s2l!data(value, seq);
      do
      :: l2s?ack(b) ->
         if
         :: b == seq ->
            seq = 1 - seq;
            value = (value + 1) % K;
            break
         :: else                       /* acknowledges an old message */
         fi
      :: timeout -> s2l!data(value, seq)
      od
   od
}

active proctype data_link()
{
   byte v;
   bit b;

   do
   :: s2l?data(v, b) ->
      if
      :: l2r!data(v, b)
      :: skip                          /* lost */
      fi
   od
}

active proctype ack_link()
{
   bit b;

   do
   :: r2l?ack(b) ->
      if
      :: l2s!ack(b)
      :: skip                          /* lost */
      fi
   od
}

active proctype receiver()
{
   byte value, expected;
   bit b, want;

   do
   :: l2r?data(value, b) ->
      if
      :: b == want ->
         assert(value == expected);
         expected = (expected + 1) % K;
         want = 1 - want
      :: else                          /* a repetition */
      fi;
      r2l!ack(b)
   od
}
