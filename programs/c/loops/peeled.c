// The first round stands before the loop.
// expect verdict=holds cflags=-DSAME
// expect verdict=violated kind=assertion cflags=-DNEVER_WAITS
// expect verdict=violated kind=assertion cflags=-DTWO_ROUNDS
// expect verdict=violated kind=race cflags=-DFIRST_IS_RELAXED
// expect verdict=violated kind=race cflags=-DOTHERS_ARE_RELAXED
#include "loops.h"
atomic_int flag;
static int data;
#ifdef FIRST_IS_RELAXED
#define first() relaxed(flag)
#else
#define first() acquire(flag)
#endif
#ifdef OTHERS_ARE_RELAXED
#define others() relaxed(flag)
#else
#define others() acquire(flag)
#endif
static void *waiter(void *a) {
  int waited = 0;
  if (!first()) {
    waited = 1;
    while (!others()) waited = 2;
  }
#if defined NEVER_WAITS
  assert(!waited);
#elif defined TWO_ROUNDS
  assert(waited < 2);
#endif
  (void)waited;
  assert(data == 1);
  return a;
}
static void set(void) {
  data = 1;
  release(flag, 1);
}
int main(void) { beside(waiter, set); }
