// A lock that does not work: each process looks at the other flag first and raises its own
// afterwards. Bug: both can see the other flag down, so the mutual exclusion assertion fails.
//
// expect verdict=violated kind=assertion
// expect por=off states=37 matched=29 transitions=66 errors=4
// expect por=on states=37 matched=29 transitions=66 errors=4

bool want[2];
byte inside;

proctype process(byte me; byte other)
{
   do
   :: (want[other] == false);
      want[me] = true;             /* too late */
      inside++;
      assert(inside == 1);
      inside--;
      want[me] = false
   od
}

init {
   atomic {
      run process(0, 1);
      run process(1, 0)
   }
}
