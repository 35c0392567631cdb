// A switch in the loop, by a table of jumps when it is optimised.
// expect verdict=violated kind=assertion cflags=-DNEVER=2
// expect verdict=violated kind=assertion cflags=-DNEVER=5
// expect verdict=violated kind=assertion cflags=-DNEVER=7
// expect verdict=holds cflags=-DNEVER=11
#include "loops.h"
atomic_int state;
static void *waiter(void *a) {
  int kept = 0;
  for (bool done = false; !done;) {
    switch (acquire(state)) {
      case 0: break;
      case 1: kept = 2; break;
      case 2: kept = 5; break;
      case 3: if (kept == 5) kept = 7; break;
      case 4: kept = kept == 9 ? 11 : kept; break;
      case 5: kept ^= 0; break;
      case 6: done = true; break;
      default: abort();
    }
  }
  assert(kept != NEVER);
  return a;
}
static void set(void) {
  release(state, 1);
  release(state, 2);
  release(state, 3);
  release(state, 6);
}
int main(void) { beside(waiter, set); }
