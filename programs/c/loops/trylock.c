// Tries to lock until it can.
// expect verdict=holds cflags=-DPTHREAD
// expect verdict=violated kind=assertion cflags=-DPTHREAD cflags=-DNEVER_FAILED
// expect verdict=violated kind=assertion cflags=-DPTHREAD cflags=-DFAILED_ONCE
// expect verdict=holds cflags=-DOWN
// expect verdict=violated kind=assertion cflags=-DOWN cflags=-DNEVER_FAILED
// expect verdict=violated kind=assertion cflags=-DSPIN cflags=-DNEVER_FAILED
// expect verdict=holds cflags=-DSPIN
#include "loops.h"
#if defined PTHREAD
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define try() (pthread_mutex_trylock(&m) == 0)
#define unlock() pthread_mutex_unlock(&m)
#elif defined SPIN
static pthread_spinlock_t m;
#define try() (pthread_spin_trylock(&m) == 0)
#define unlock() pthread_spin_unlock(&m)
#else
atomic_int m;
static bool try(void) {
  int free = 0;
  return atomic_compare_exchange_strong_explicit(&m, &free, 1, memory_order_acquire, memory_order_relaxed);
}
#define unlock() release(m, 0)
#endif
static int counter;
static void *worker(void *a) {
  int failed = 0;
  while (!try())
    if (failed < 2) failed++;
  counter++;
  unlock();
#if defined NEVER_FAILED
  assert(failed == 0);
#elif defined FAILED_ONCE
  assert(failed != 2);
#endif
  return a;
}
int main(void) {
#ifdef SPIN
  pthread_spin_init(&m, 0);
#endif
  together(2, worker);
  assert(counter == 2);
}
