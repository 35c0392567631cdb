// Rounds are counted up to a limit, for others to see.
// expect verdict=violated kind=assertion cflags=-DPLAIN cflags=-DALLOWED=0
// expect verdict=violated kind=assertion cflags=-DPLAIN cflags=-DALLOWED=2
// expect verdict=violated kind=assertion cflags=-DATOMIC cflags=-DALLOWED=0
// expect verdict=violated kind=assertion cflags=-DATOMIC cflags=-DALLOWED=1
// expect verdict=holds cflags=-DPLAIN cflags=-DALLOWED=3
// expect verdict=holds cflags=-DATOMIC cflags=-DALLOWED=3
#include "loops.h"
atomic_int flag;
#ifdef PLAIN
static int rounds;
#else
atomic_int rounds;
#endif
static void *waiter(void *a) {
  while (!acquire(flag)) {
#ifdef PLAIN
    if (rounds < 3) rounds++;
#else
    if (relaxed(rounds) < 3) atomic_fetch_add_explicit(&rounds, 1, memory_order_relaxed);
#endif
  }
  return a;
}
static void set(void) { release(flag, 1); }
int main(void) {
  beside(waiter, set);
  assert(rounds <= ALLOWED);
}
