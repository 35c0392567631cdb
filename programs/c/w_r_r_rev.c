/* W+R+R-REV, example 4 of SPORE. */
// expect off=8 on=6
// expect model=sc off=8 on=6
// expect model=tso off=8 on=6
// expect model=ra off=8 on=6
#include <stdatomic.h>
#include "threads.h"

static atomic_int x, y;

static void *first(void *argument) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  (void)atomic_load_explicit(&y, memory_order_relaxed);
  return argument;
}

static void *reader(void *argument) {
  (void)atomic_load_explicit(&x, memory_order_relaxed);
  return argument;
}

static void *last(void *argument) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return argument;
}

int main(void) {
  pthread_t a[MOST], b[MOST], c[MOST];
  start(a, 1, first);
  start(b, 2, reader);
  start(c, 1, last);
  join(a, 1);
  join(b, 2);
  join(c, 1);
}
