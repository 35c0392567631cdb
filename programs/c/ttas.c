/* A test-and-test-and-set lock with compare-and-exchange. */
// expect n=2 off=4 on=2
// expect n=3 off=36 on=6
// expect n=4 off=576 on=24
// expect n=5 off=14400 on=120
// expect n=6 on=720
#include <stdatomic.h>
#include "threads.h"

static atomic_int held;

static void *worker(void *argument) {
  for (;;) {
    while (atomic_load_explicit(&held, memory_order_acquire)) {
    }
    int expected = 0;
    if (atomic_compare_exchange_strong_explicit(&held, &expected, 1, memory_order_acquire, memory_order_relaxed)) break;
  }
  atomic_store_explicit(&held, 0, memory_order_release);
  return argument;
}

int main(void) {
  pthread_t threads[MOST];
  start(threads, N, worker);
  join(threads, N);
}
