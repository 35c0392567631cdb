// The value that was seen before the one that ends the loop.
// expect verdict=violated kind=assertion cflags=-DNEVER=1
// expect verdict=violated kind=assertion cflags=-DNEVER=2
// expect verdict=violated kind=assertion cflags=-DNEVER=0
// expect verdict=holds cflags=-DNEVER=3
#include "loops.h"
atomic_int x;
static void *waiter(void *a) {
  int last = -1, now;
  while ((now = acquire(x)) != 3) last = now;
  assert(last != NEVER);
  return a;
}
static void set(void) {
  release(x, 1);
  release(x, 2);
  release(x, 3);
}
int main(void) { beside(waiter, set); }
