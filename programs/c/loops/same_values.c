// The waiting thread is given the same values by its atomic operations in two executions, and yet does not do the same: it
// knows more, from plain memory or from the thread that has started it.
// expect verdict=violated kind=assertion
// expect verdict=violated kind=assertion cflags=-DOTHER
// expect verdict=violated kind=assertion cflags=-DARGUMENT
// expect verdict=violated kind=assertion cflags=-DARGUMENT cflags=-DOTHER
// expect verdict=holds cflags=-DFIXED
// expect verdict=holds cflags=-DARGUMENT cflags=-DFIXED
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int chance, ready, over;
static long data;

static long decide(void) {
  long chosen = atomic_load_explicit(&chance, memory_order_relaxed);
#ifdef OTHER
  chosen = !chosen;
#endif
  return chosen;
}

static void *wait_for_it(void *argument) {
  int seen = 0;
  for (;;) {
#ifdef ARGUMENT
    long counts = (long)argument;
#else
    long counts = atomic_load_explicit(&ready, memory_order_acquire) ? data : 0;
#endif
    if (atomic_load_explicit(&over, memory_order_relaxed)) break;
    if (counts && seen < 2) seen++;
  }
#ifdef FIXED
  assert(seen <= 2);
#else
  assert(seen != 2);
#endif
  return argument;
}

static void *change(void *argument) {
  atomic_store_explicit(&chance, 1, memory_order_relaxed);
  return argument;
}

int main(void) {
  pthread_t changer, waiter;
  pthread_create(&changer, 0, change, 0);
#ifdef ARGUMENT
  pthread_create(&waiter, 0, wait_for_it, (void *)decide());
#else
  pthread_create(&waiter, 0, wait_for_it, 0);
  data = decide();
  atomic_store_explicit(&ready, 1, memory_order_release);
#endif
  atomic_store_explicit(&over, 1, memory_order_relaxed);
  pthread_join(changer, 0);
  pthread_join(waiter, 0);
}
