// A spin lock: threads wait in a loop. The numbers are those of threads without ids.
// expect ids=accepted same=yes
#include "start.h"
static atomic_int lock;
static int counter;
static void *worker(void *id) {
  do {
    while (atomic_load_explicit(&lock, memory_order_relaxed)) {}
  } while (atomic_exchange_explicit(&lock, 1, memory_order_acquire));
  counter++;
  atomic_store_explicit(&lock, 0, memory_order_release);
  return id;
}
int main(void) {
  RUN(worker);
  assert(counter == N);
}
