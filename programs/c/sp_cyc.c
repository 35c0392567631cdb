/* SP-CYC, example 6 of SPORE. */
// expect off=36
// expect model=ra off=36
// expect model=sc off=28 on=16
// expect model=tso off=28 on=16
#include <stdatomic.h>
#include "threads.h"

static atomic_int x, y;

static void *first(void *argument) {
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  return argument;
}

static void *alike(void *argument) {
  if (atomic_load_explicit(&x, memory_order_relaxed) == 2) atomic_store_explicit(&y, 1, memory_order_relaxed);
  return argument;
}

static void *last(void *argument) {
  (void)atomic_load_explicit(&y, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  return argument;
}

int main(void) {
  pthread_t a[MOST], b[MOST], c[MOST];
  start(a, 1, first);
  start(b, 2, alike);
  start(c, 1, last);
  join(a, 1);
  join(b, 2);
  join(c, 1);
}
