// A lock by test and test-and-set.
// expect verdict=holds cflags=-DNESTED
// expect verdict=holds cflags=-DFLAT
// expect verdict=holds cflags=-DEXCHANGE_FIRST
// expect verdict=violated kind=race cflags=-DNESTED cflags=-DRELAXED
// expect verdict=violated kind=assertion cflags=-DNESTED cflags=-DNEVER_LOST
// expect verdict=violated kind=assertion cflags=-DFLAT cflags=-DNEVER_LOST
#include "loops.h"
#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif
atomic_int l;
static int counter;
static void *worker(void *a) {
  bool lost = false;
#if defined NESTED
  for (;;) {
    while (relaxed(l)) {
    }
    if (!atomic_exchange_explicit(&l, 1, ORDER)) break;
    lost = true;
  }
#elif defined FLAT
  while (relaxed(l) || atomic_exchange_explicit(&l, 1, ORDER)) lost = true;
#else
  while (atomic_exchange_explicit(&l, 1, ORDER)) {
    while (relaxed(l)) {
    }
    lost = true;
  }
#endif
  counter++;
  release(l, 0);
#ifdef NEVER_LOST
  assert(!lost);
#else
  (void)lost;
#endif
  return a;
}
int main(void) {
  together(2, worker);
  assert(counter == 2);
}
