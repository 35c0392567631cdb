// Stop and wait without a sequence bit. The data channel is reliable, acknowledgements can be lost,
// and the sender repeats the message after a timeout.
// Bug: a repetition looks like the next message, so the receiver delivers a value twice (assertion).
//
// expect verdict=violated kind=assertion
// expect por=off states=160 matched=17 transitions=177 errors=12
// expect por=on states=160 matched=24 transitions=184 errors=12

#define K 4

chan to_receiver = [1] of { byte };
chan to_sender = [1] of { bit };

active proctype sender()
{
   byte value;

   xs to_receiver;
   xr to_sender;

   do
   :: to_receiver!value;
      if
      :: to_sender?1 -> value = (value + 1) % K
      :: timeout                      /* send it again */
      fi
   od
}

active proctype receiver()
{
   byte value, expected;

   xr to_receiver;
   xs to_sender;

   do
   :: to_receiver?value ->
      assert(value == expected);
      expected = (expected + 1) % K;
      if
      :: to_sender!1
      :: skip                         /* the acknowledgement is lost */
      fi
   od
}
