/* A test-and-test-and-set lock with exchange; in the variant cut, an attempt that fails is left out. */
// expect n=2 off=4 on=2
// expect n=3 off=36 on=6
// expect n=4 off=576 on=24
// expect cut n=2 off=4 on=2
// expect cut n=3 off=36 on=6
// expect cut n=4 off=576 on=24
// expect cut n=5 on=120
#include <quotient.h>
#include <stdatomic.h>
#include "threads.h"

static atomic_int held;

static void *worker(void *argument) {
  for (;;) {
    while (atomic_load_explicit(&held, memory_order_acquire)) {
    }
    if (!atomic_exchange_explicit(&held, 1, memory_order_acquire)) break;
#ifdef cut
    quotient_assume(0);
#endif
  }
  atomic_store_explicit(&held, 0, memory_order_release);
  return argument;
}

int main(void) {
  pthread_t threads[MOST];
  start(threads, N, worker);
  join(threads, N);
}
