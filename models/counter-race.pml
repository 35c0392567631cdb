// N processes each increment a shared counter R times without a lock.
// Bug: read and write are separate steps, so updates get lost and the final total is too low
// (assertion). The lowest possible total is 2, whatever N >= 2 and R >= 2 are.
//
// expect verdict=violated kind=assertion
// expect por=off
// expect por=on
// bench -DN=4 por=off
// bench -DN=4 por=on

#ifndef N
#define N 2
#endif
#define R 3

int total;
byte finished;

proctype adder()
{
   int copy;
   byte i;

   for (i : 1 .. R) {
      copy = total;
      total = copy + 1
   };
   finished++
}

init {
   byte i;

   atomic {
      for (i : 1 .. N) {
         run adder()
      }
   };
   (finished == N);
   printf("total %d\n", total);
   assert(total >= 2);
   assert(total == N * R)
}
