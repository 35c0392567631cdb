// The value that an exchange has read in vain is one that the load before it could have read at once, but not if the load
// would then have learnt more than the exchange.
// expect verdict=violated kind=race cflags=-DFIRST=acquire cflags=-DFAILS=relaxed
// expect verdict=violated kind=race cflags=-DFIRST=relaxed cflags=-DFAILS=relaxed
// expect verdict=holds executions=2 cflags=-DFIRST=acquire cflags=-DFAILS=acquire
// expect verdict=holds cflags=-DFIRST=acquire cflags=-DFAILS=seq_cst
#include "loops.h"
#define JOIN(a, b) a##b
#define ORDER(name) JOIN(memory_order_, name)
atomic_int x;
int data;
static void *writer(void *a) {
  data = 1;
  release(x, 1);
  return a;
}
static void retry(void) {
  int r = atomic_load_explicit(&x, ORDER(FIRST));
  while (!atomic_compare_exchange_strong_explicit(&x, &r, r + 100, memory_order_relaxed, ORDER(FAILS))) {}
  if (r == 1) assert(data == 1);
}
int main(void) { beside(writer, retry); }
