// A flag that the first round changes and no other one.
// expect verdict=violated kind=assertion cflags=-DWHILE
// expect verdict=violated kind=assertion cflags=-DDO_WHILE
// expect verdict=violated kind=assertion cflags=-DFOR
// expect verdict=violated kind=assertion cflags=-DGOTO
// expect verdict=holds cflags=-DWHILE cflags=-DUNUSED
// expect verdict=holds cflags=-DGOTO cflags=-DUNUSED
#include "loops.h"
atomic_int flag;
static void *waiter(void *a) {
  bool waited = false;
#if defined WHILE
  while (!acquire(flag)) waited = true;
#elif defined DO_WHILE
  int seen;
  do {
    seen = acquire(flag);
    if (!seen) waited = true;
  } while (!seen);
#elif defined FOR
  for (; !acquire(flag); waited = true) {
  }
#else
again:
  if (!acquire(flag)) {
    waited = true;
    goto again;
  }
#endif
#ifdef UNUSED
  assert(waited || acquire(flag) == 1);
#else
  assert(!waited);
#endif
  return a;
}
static void set(void) { release(flag, 1); }
int main(void) { beside(waiter, set); }
