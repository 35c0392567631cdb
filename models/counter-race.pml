// N processes each increment a shared counter R times without a lock.
// Bug: read and write are separate steps, so updates get lost and the final total is too low
// (assertion). The lowest possible total is 2, whatever N >= 2 and R >= 2 are.
//
// expect verdict=violated kind=assertion
// expect por=off states=2299 matched=1877 transitions=4176 errors=38
// expect por=on states=1129 matched=301 transitions=1430 errors=4
// bench -DN=3 por=off states=461841 matched=784013 transitions=1245854
// bench -DN=3 por=on states=126363 matched=73515 transitions=199878

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
