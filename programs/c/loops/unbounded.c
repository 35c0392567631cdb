// Every round changes something, forever: no number of rounds is enough, and that is said.
// expect verdict=inconclusive kind=bound cflags=-DCOUNTER mentions=unbounded.c:12 opt=0
// expect verdict=inconclusive kind=bound cflags=-DCOUNTER mentions=`rounds` opt=0
// expect verdict=inconclusive kind=bound cflags=-DGLOBAL mentions=`total` opt=0
// expect verdict=inconclusive kind=bound cflags=-DATOMIC
// expect verdict=violated kind=assertion cflags=-DCOUNTER cflags=-DBUG
#include "loops.h"
atomic_int flag, shared;
static unsigned total;
static void *waiter(void *a) {
  unsigned rounds = 0;
  while (!acquire(flag)) {
#if defined COUNTER
    rounds++;
#elif defined GLOBAL
    total++;
#else
    atomic_fetch_add(&shared, 1);
#endif
  }
#ifdef BUG
  assert(rounds == 0);
#endif
  total += rounds;
  return a;
}
static void set(void) { release(flag, 1); }
int main(void) {
  beside(waiter, set);
  return total == 77;
}
