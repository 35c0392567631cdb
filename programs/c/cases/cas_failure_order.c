// expect verdict=violated kind=race
// The order of a failing exchange is its failure order: nothing is acquired.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static void *writer(void *a) {
  data = 1;
  atomic_store_explicit(&flag, 2, memory_order_release);
  return a;
}
int main(void) {
  pthread_t t;
  int expected = 1, seen = 0;
  pthread_create(&t, 0, writer, 0);
  if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 3, memory_order_acquire, memory_order_relaxed) && expected == 2)
    seen = data;
  pthread_join(t, 0);
  return seen;
}
