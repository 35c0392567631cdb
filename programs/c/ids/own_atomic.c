// The cell is atomic, and nobody else uses it.
// expect ids=accepted off=6 on=1
#include "start.h"
static atomic_int x, slot[N];
static void *worker(void *id) {
  atomic_store_explicit(&slot[(long)id], 1, memory_order_relaxed);
  atomic_fetch_add(&x, 1);
  assert(atomic_load_explicit(&slot[(long)id], memory_order_relaxed) == 1);
  return 0;
}
int main(void) { RUN(worker); }
