// A lock by test-and-set: who does not get it has written back what was there.
// expect verdict=holds executions=2 cflags=-DEXCHANGE cflags=-DN=2
// expect verdict=holds executions=6 cflags=-DEXCHANGE cflags=-DN=3
// expect verdict=holds executions=24 cflags=-DEXCHANGE cflags=-DN=4
// expect verdict=holds executions=1 symmetry=on cflags=-DEXCHANGE cflags=-DN=3
// expect verdict=holds executions=2 cflags=-DFLAG cflags=-DN=2
// expect verdict=holds executions=6 cflags=-DFLAG cflags=-DN=3
// expect verdict=holds executions=2 cflags=-DSYNC cflags=-DN=2
// expect verdict=holds executions=6 cflags=-DOR cflags=-DN=3
// expect verdict=violated kind=race cflags=-DEXCHANGE cflags=-DN=2 cflags=-DRELAXED
// expect verdict=violated kind=assertion cflags=-DEXCHANGE cflags=-DN=2 cflags=-DNEVER_WAITS
// expect verdict=violated kind=assertion cflags=-DFLAG cflags=-DN=2 cflags=-DNEVER_WAITS
// expect verdict=violated kind=assertion cflags=-DSYNC cflags=-DN=2 cflags=-DNEVER_WAITS
// expect verdict=violated kind=livelock cflags=-DEXCHANGE cflags=-DN=2 cflags=-DKEPT
// expect verdict=violated kind=livelock cflags=-DFLAG cflags=-DN=2 cflags=-DKEPT
#include "loops.h"
#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif
#if defined EXCHANGE
atomic_int l;
#define take() atomic_exchange_explicit(&l, 1, ORDER)
#define give() release(l, 0)
#elif defined FLAG
atomic_flag l = ATOMIC_FLAG_INIT;
#define take() atomic_flag_test_and_set_explicit(&l, ORDER)
#define give() atomic_flag_clear_explicit(&l, memory_order_release)
#elif defined SYNC
int l;
#define take() __sync_lock_test_and_set(&l, 1)
#define give() __sync_lock_release(&l)
#else
atomic_int l;
#define take() (atomic_fetch_or_explicit(&l, 1, ORDER) & 1)
#define give() release(l, 0)
#endif
static int counter;
static void *worker(void *a) {
#ifdef NEVER_WAITS
  bool waited = false;
  while (take()) waited = true;
  assert(!waited);
#else
  while (take()) {
  }
#endif
  counter++;
#ifndef KEPT
  give();
#endif
  return a;
}
int main(void) {
  together(N, worker);
  assert(counter == N);
}
