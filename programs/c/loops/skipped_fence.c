// Whoever had to wait, or did not have to, leaves out the fence that would order what comes behind.
// expect verdict=violated kind=race cflags=-DWITHOUT_WAITING
// expect verdict=violated kind=race cflags=-DAFTER_WAITING
// expect verdict=violated kind=race cflags=-DAFTER_TWO
// expect verdict=holds cflags=-DNEVER
#include "loops.h"
atomic_int flag;
static int data;
static void *waiter(void *a) {
  int waited = 0;
  while (!relaxed(flag))
    if (waited < 2) waited++;
#if defined WITHOUT_WAITING
  if (waited)
#elif defined AFTER_WAITING
  if (!waited)
#elif defined AFTER_TWO
  if (waited < 2)
#endif
    atomic_thread_fence(memory_order_acquire);
  assert(data == 1);
  return a;
}
static void set(void) {
  data = 1;
  release(flag, 1);
}
int main(void) { beside(waiter, set); }
