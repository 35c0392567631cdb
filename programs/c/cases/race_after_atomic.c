// A plain write races with an atomic read that comes later, by a thread that has read the same memory before, when all that
// had been done to it was in order.
// expect verdict=violated kind=race
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, first, second;
static void *reads(void *a) {
  atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&first, 1, memory_order_release);
  if (atomic_load_explicit(&second, memory_order_relaxed)) atomic_load_explicit(&x, memory_order_relaxed);
  return a;
}
static void *writes(void *a) {
  if (atomic_load_explicit(&first, memory_order_acquire)) {
    *(int *)&x = 2;
    atomic_store_explicit(&second, 1, memory_order_relaxed);
  }
  return a;
}
int main(void) {
  pthread_t a, b;
  *(int *)&x = 1;
  pthread_create(&a, 0, reads, 0);
  pthread_create(&b, 0, writes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
