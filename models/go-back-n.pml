// Go-back-N: the sender may have W unacknowledged messages under way, numbered modulo M, and starts
// again from the oldest one after a timeout. The receiver accepts only the number it expects.
// Checked: values arrive in order (assertion; they count modulo V, which M does not divide), no
// deadlock. With W = M (here -DM=2) the protocol is wrong: the receiver takes a repetition for a new
// message.
//
// expect verdict=holds
// expect -DM=2 verdict=violated kind=assertion
// expect por=off states=13770 matched=12436 transitions=26206 errors=0
// expect por=on states=7710 matched=1905 transitions=9615 errors=0
// expect -DM=2 por=off states=11200 matched=8301 transitions=19501 errors=720
// expect -DM=2 por=on states=7080 matched=1435 transitions=8515 errors=244

#ifndef W
#define W 2
#endif
#ifndef M
#define M 3
#endif
#define V 5

chan data = [W] of { byte, byte };       /* number, value */
chan acks = [W] of { byte };             /* number expected next */

active proctype sender()
{
   byte base;          /* value number of the oldest unacknowledged message, modulo V */
   byte seq;           /* its sequence number, modulo M */
   byte sent;          /* how many are under way */
   byte a, d;

   do
   :: sent < W && nfull(data) ->
      if
      :: data!((seq + sent) % M), ((base + sent) % V)
      :: skip                                      /* lost */
      fi;
      sent++
   :: acks?a ->
      d = (a + M - seq) % M;                       /* how many this acknowledges */
      if
      :: d <= sent ->
         seq = a;
         base = (base + d) % V;
         sent = sent - d
      :: else
      fi;
      d = 0;
      a = 0
   :: timeout -> sent = 0
   od
}

active proctype receiver()
{
   byte seq, value, want, expected;

   do
   :: data?seq, value ->
      if
      :: seq == want ->
         assert(value == expected);
         want = (want + 1) % M;
         expected = (expected + 1) % V
      :: else
      fi;
      seq = 0;
      value = 0;
      if
      :: acks!want
      :: skip                                      /* lost */
      fi
   od
}
