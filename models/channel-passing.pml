// Channels sent in messages: a mobile talks to a base station over a private link; the centre moves
// the conversation to another base by passing that base's link through the old one (hand-over).
// Checked: the mobile hears every message once and in order whatever base sends it (assertion), deadlock.
//
// expect verdict=holds
// expect por=off states=3458 matched=5977 transitions=9435 errors=0
// expect por=on states=1076 matched=575 transitions=1651 errors=0

#define BASES 2
#define MOD 4

mtype = { talk, handover, switched, activate, released };

chan radio[BASES] = [1] of { mtype, byte, chan };     /* base to mobile */
chan uplink[BASES] = [0] of { mtype, byte };          /* mobile to base */
chan wire[BASES] = [0] of { mtype, byte, chan };      /* centre to base */
chan centre_in = [0] of { mtype, byte, byte };        /* base to centre: kind, base, next number */

proctype base(byte me)
{
   byte n;
   chan target = radio[0];

passive:
   wire[me]?activate(n, _);
   do
   :: radio[me]!talk(n, radio[me]) -> n = (n + 1) % MOD
   :: wire[me]?handover(_, target) ->
      radio[me]!handover(n, target);
      uplink[me]?switched(eval(n));
      centre_in!released(me, n);
      d_step { n = 0; target = radio[0] };
      goto passive
   od
}

active proctype centre()
{
   byte at, n;

   wire[0]!activate(0, radio[0]);
   do
   :: wire[at]!handover(0, radio[1 - at]);
      centre_in?released(eval(at), n);
      at = 1 - at;
      wire[at]!activate(n, radio[at]);
      n = 0
   od
}

active proctype mobile()
{
   chan link = radio[0];
   chan new = radio[0];
   byte at, n, expected;

   do
   :: link?talk(n, _) ->
      assert(n == expected);
      expected = (expected + 1) % MOD;
      n = 0
   :: link?handover(n, new) ->
      assert(n == expected && new != link);
      uplink[at]!switched(n);
      at = 1 - at;
      link = new;
      n = 0
   od
}

init {
   atomic {
      run base(0);
      run base(1)
   }
}
