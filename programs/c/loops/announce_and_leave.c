// Somebody waits until somebody waits: the announcement is what ends the other loop.
// expect verdict=holds cflags=-DEACH_ROUND
// expect verdict=holds cflags=-DFIRST
// expect verdict=holds cflags=-DBEFORE
// expect verdict=violated kind=livelock cflags=-DNOBODY
#include "loops.h"
atomic_int flag, waiting;
static void *waiter(void *a) {
  bool first = true;
#ifdef BEFORE
  release(waiting, 1);
#endif
  do {
#if defined EACH_ROUND
    release(waiting, 1);
#elif defined FIRST
    if (first) release(waiting, 1);
#endif
    first = false;
  } while (!acquire(flag));
  (void)first;
  return a;
}
static void set(void) {
  while (!acquire(waiting)) {
  }
  release(flag, 1);
}
int main(void) { beside(waiter, set); }
