/* One thread writes, others read. */
// expect n=1 off=2 on=2
// expect n=2 off=4 on=3
// expect n=3 off=8 on=4
// expect n=4 off=16 on=5
// expect n=5 off=32 on=6
// expect n=6 off=64 on=7
// expect n=12 off=4096 on=13
#include <stdatomic.h>
#include "threads.h"

static atomic_int x;

static void *writer(void *argument) {
  atomic_store_explicit(&x, 1, memory_order_release);
  return argument;
}

static void *reader(void *argument) {
  (void)atomic_load_explicit(&x, memory_order_acquire);
  return argument;
}

int main(void) {
  pthread_t writers[MOST], readers[MOST];
  start(writers, 1, writer);
  start(readers, N, reader);
  join(writers, 1);
  join(readers, N);
}
