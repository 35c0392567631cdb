// The loop says that it waits, by an atomic store.
// expect verdict=violated kind=assertion cflags=-DAT_THE_END
// expect verdict=violated kind=assertion cflags=-DON_THE_WAY
// expect verdict=violated kind=assertion cflags=-DEXCHANGE cflags=-DAT_THE_END
// expect verdict=violated kind=assertion cflags=-DVALUE cflags=-DAT_THE_END
// expect verdict=holds cflags=-DNOBODY_LOOKS
#include "loops.h"
atomic_int flag, waiting;
static void *waiter(void *a) {
  int now;
  while ((now = acquire(flag)) != 2) {
#if defined EXCHANGE
    atomic_exchange_explicit(&waiting, 1, memory_order_relaxed);
#elif defined VALUE
    put_relaxed(waiting, now);
#else
    put_relaxed(waiting, 1);
#endif
  }
  return a;
}
static void set(void) {
  release(flag, 1);
#ifdef ON_THE_WAY
  assert(!relaxed(waiting));
#endif
  release(flag, 2);
}
int main(void) {
  beside(waiter, set);
#ifdef AT_THE_END
  assert(!relaxed(waiting));
#endif
}
