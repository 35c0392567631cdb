// Loops in loops.
// expect verdict=holds cflags=-DBOTH_WAIT
// expect verdict=violated kind=assertion cflags=-DBOTH_WAIT cflags=-DNEVER_INNER
// expect verdict=violated kind=assertion cflags=-DBOTH_WAIT cflags=-DNEVER_OUTER
// expect verdict=holds cflags=-DINNER_COUNTS
// expect verdict=violated kind=assertion cflags=-DINNER_COUNTS cflags=-DNEVER_OUTER
// expect verdict=violated kind=assertion cflags=-DINNER_COUNTS cflags=-DNEVER_INNER
// expect verdict=violated kind=livelock cflags=-DBOTH_WAIT cflags=-DNOBODY
#include "loops.h"
atomic_int near, far;
static void *waiter(void *a) {
  int inner = 0, outer = 0;
  do {
#ifdef BOTH_WAIT
    while (!acquire(near)) {
#else
    for (int i = 0; i < 2 && !acquire(near); i++) {
#endif
#ifdef NEVER_INNER
      inner = 1;
#endif
    }
#ifdef NEVER_OUTER
    if (outer < 2) outer++;
#endif
  } while (!acquire(far));
  assert(!inner);
  assert(outer < 2);
  return a;
}
static void set(void) {
  release(near, 1);
#ifndef NOBODY
  release(far, 1);
#endif
}
int main(void) { beside(waiter, set); }
