/* REV-EX, example 3 of SPORE. */
// expect off=4 on=4
// expect model=sc off=4 on=4
// expect model=tso off=4 on=4
// expect model=ra off=4 on=4
#include <stdatomic.h>
#include "threads.h"

static atomic_int x, y;

static void *first(void *argument) {
  (void)atomic_load_explicit(&y, memory_order_relaxed);
  return argument;
}

static void *second(void *argument) {
  if (atomic_load_explicit(&x, memory_order_relaxed) == 1) {
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    (void)atomic_load_explicit(&x, memory_order_relaxed);
  }
  return argument;
}

static void *third(void *argument) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return argument;
}

int main(void) {
  pthread_t a[MOST], b[MOST], c[MOST];
  start(a, 1, first);
  start(b, 1, second);
  start(c, 1, third);
  join(a, 1);
  join(b, 1);
  join(c, 1);
}
