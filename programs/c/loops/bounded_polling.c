// Looks a few times only, and goes on without.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DALWAYS_IN_TIME
// expect verdict=violated kind=assertion cflags=-DNEVER_LAST
// expect verdict=violated kind=race cflags=-DWITHOUT
// expect verdict=holds cflags=-DROUNDS=1
#include "loops.h"
#ifndef ROUNDS
#define ROUNDS 3
#endif
atomic_int flag;
static int data;
static void *waiter(void *a) {
  int i, seen = 0;
  for (i = 0; i < ROUNDS; i++)
    if ((seen = acquire(flag))) break;
#if defined ALWAYS_IN_TIME
  assert(seen);
#elif defined NEVER_LAST
  assert(i != ROUNDS - 1);
#endif
#ifndef WITHOUT
  if (seen)
#endif
    assert(data == 1);
  return a;
}
static void set(void) {
  data = 1;
  release(flag, 1);
}
int main(void) { beside(waiter, set); }
