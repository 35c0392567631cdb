/* A lock taken by compare-and-exchange in a loop. */
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1
#include <stdatomic.h>
#include "threads.h"

static atomic_int held;
static int data;

static void *worker(void *argument) {
  int expected = 0;
  while (!atomic_compare_exchange_strong_explicit(&held, &expected, 1, memory_order_acquire, memory_order_relaxed))
    expected = 0;
  data++;
  atomic_store_explicit(&held, 0, memory_order_release);
  return argument;
}

int main(void) {
  pthread_t threads[MOST];
  start(threads, N, worker);
  join(threads, N);
}
