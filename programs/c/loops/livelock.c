// Nobody will ever end the loop.
// expect verdict=violated kind=livelock cflags=-DNEVER_SET
// expect verdict=violated kind=livelock cflags=-DWRONG_VALUE
// expect verdict=violated kind=livelock cflags=-DSET_BACK
// expect verdict=violated kind=livelock cflags=-DFLAG
// expect verdict=violated kind=livelock cflags=-DSATURATES
// expect verdict=violated kind=livelock cflags=-DEXCHANGE
// expect verdict=holds cflags=-DGIVES_UP
#include "loops.h"
atomic_int flag;
static void *waiter(void *a) {
#if defined FLAG
  bool waited = false;
  while (!acquire(flag) || waited) waited = true;
#elif defined SATURATES
  int rounds = 0;
  while (!acquire(flag) || rounds > 2)
    if (rounds < 5) rounds++;
#elif defined EXCHANGE
  while (!atomic_exchange(&flag, 0)) {
  }
  while (!atomic_exchange(&flag, 0)) {
  }
#elif defined GIVES_UP
  for (int i = 0; i < 3 && !acquire(flag); i++) {
  }
#else
  while (acquire(flag) != 1) {
  }
#endif
  return a;
}
static void set(void) {
#if defined WRONG_VALUE
  release(flag, 2);
#elif defined SET_BACK
  release(flag, 1);
  release(flag, 0);
#elif !defined NEVER_SET && !defined GIVES_UP
  release(flag, 1);
#endif
}
int main(void) { beside(waiter, set); }
