/* A ticket lock. */
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1
#include <stdatomic.h>
#include "threads.h"

static atomic_int next, serving;
static int data;

static void *worker(void *argument) {
  int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != ticket) {
  }
  data++;
  atomic_store_explicit(&serving, ticket + 1, memory_order_release);
  return argument;
}

int main(void) {
  pthread_t threads[MOST];
  start(threads, N, worker);
  join(threads, N);
}
