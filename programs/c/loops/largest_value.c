// The largest value that was seen on the way.
// expect verdict=violated kind=assertion cflags=-DNEVER=5
// expect verdict=violated kind=assertion cflags=-DNEVER=2
// expect verdict=violated kind=assertion cflags=-DNEVER=1
// expect verdict=holds cflags=-DNEVER=3
#include "loops.h"
atomic_int x;
static void *waiter(void *a) {
  int largest = 0, now;
  do {
    now = acquire(x);
    if (now > largest) largest = now;
  } while (now != 1);
  assert(largest != NEVER);
  return a;
}
static void set(void) {
  release(x, 2);
  release(x, 5);
  release(x, 1);
}
int main(void) { beside(waiter, set); }
