// A pause that doubles up to a limit.
// expect verdict=violated kind=assertion cflags=-DLIMIT=4 cflags=-DALLOWED=2
// expect verdict=violated kind=assertion cflags=-DLIMIT=4 cflags=-DALLOWED=1
// expect verdict=violated kind=assertion cflags=-DLIMIT=8 cflags=-DALLOWED=4
// expect verdict=holds cflags=-DLIMIT=4 cflags=-DALLOWED=4
// expect verdict=holds cflags=-DLIMIT=1 cflags=-DALLOWED=1
#include "loops.h"
atomic_int flag;
static void *waiter(void *a) {
  int pause = 1;
  while (!acquire(flag))
    if (pause < LIMIT) pause *= 2;
  assert(pause <= ALLOWED);
  return a;
}
static void set(void) { release(flag, 1); }
int main(void) { beside(waiter, set); }
