/* Threads that draw a number and write to the cell that it selects. */
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1
// expect n=7 off=5040 on=1
// expect n=8 on=1
#include <stdatomic.h>
#include "threads.h"

static atomic_int next;
static int cells[N];

static void *worker(void *argument) {
  cells[atomic_fetch_add_explicit(&next, 1, memory_order_relaxed)] = 1;
  return argument;
}

int main(void) {
  pthread_t threads[MOST];
  start(threads, N, worker);
  join(threads, N);
}
