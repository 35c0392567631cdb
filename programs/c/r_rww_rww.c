/* R+RWW+RWW, example 5 of SPORE. */
// expect off=24 on=12
// expect model=sc off=24 on=12
// expect model=tso off=24 on=12
// expect model=ra off=24 on=12
#include <stdatomic.h>
#include "threads.h"

static atomic_int x, y;

static void *reader(void *argument) {
  (void)atomic_load_explicit(&y, memory_order_relaxed);
  return argument;
}

static void *writer(void *argument) {
  (void)atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return argument;
}

int main(void) {
  pthread_t a[MOST], b[MOST];
  start(a, 1, reader);
  start(b, 2, writer);
  join(a, 1);
  join(b, 2);
}
