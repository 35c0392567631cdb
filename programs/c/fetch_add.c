/* Threads that increment one counter: n! orders, one orbit. */
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1
// expect n=7 off=5040 on=1
// expect n=8 off=40320 on=1
// expect n=16 on=1
// expect n=32 on=1
#include <assert.h>
#include <stdatomic.h>
#include "threads.h"

static atomic_int counter;

static void *increment(void *argument) {
  atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
  return argument;
}

int main(void) {
  pthread_t threads[MOST];
  start(threads, N, increment);
  join(threads, N);
  assert(atomic_load_explicit(&counter, memory_order_relaxed) == N);
}
