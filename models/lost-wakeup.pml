// Producer and consumer that sleep and wake each other up when the buffer is full or empty.
// Bug: a wake-up sent between the other side's test of the count and its going to sleep is lost, and
// in the end both sleep (invalid end state).
//
// expect verdict=violated kind=invalid-end-state
// expect por=off states=173 matched=133 transitions=306 errors=2
// expect por=on states=150 matched=95 transitions=245 errors=2

#define SIZE 2

byte count;
bool asleep_producer, asleep_consumer;

active proctype producer()
{
   bool wake;

   do
   :: do
      :: count == SIZE ->
         asleep_producer = true;           /* the test may be out of date by now */
         (!asleep_producer)
      :: else -> break
      od;
      atomic { count++; wake = (count == 1) };
      if
      :: wake -> asleep_consumer = false
      :: else
      fi
   od
}

active proctype consumer()
{
   bool wake;

   do
   :: do
      :: count == 0 ->
         asleep_consumer = true;
         (!asleep_consumer)
      :: else -> break
      od;
      assert(count > 0);
      atomic { count--; wake = (count == SIZE - 1) };
      if
      :: wake -> asleep_producer = false
      :: else
      fi
   od
}
