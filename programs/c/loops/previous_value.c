// The last two values that were seen, in this order: it takes two rounds of waiting.
// expect verdict=violated kind=assertion cflags=-DFIRST=1 cflags=-DSECOND=2
// expect verdict=violated kind=assertion cflags=-DFIRST=0 cflags=-DSECOND=2
// expect verdict=violated kind=assertion cflags=-DFIRST=2 cflags=-DSECOND=2
// expect verdict=holds cflags=-DFIRST=2 cflags=-DSECOND=1
#include "loops.h"
atomic_int x;
static void *waiter(void *a) {
  int before = -1, last = -1, now;
  while ((now = acquire(x)) != 3) {
    before = last;
    last = now;
  }
  assert(!(before == FIRST && last == SECOND));
  return a;
}
static void set(void) {
  release(x, 1);
  release(x, 2);
  release(x, 3);
}
int main(void) { beside(waiter, set); }
