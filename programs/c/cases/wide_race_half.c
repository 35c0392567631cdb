/* One half of an atomic variable of 16 bytes is written after it, the other is not: that races with the atomic write. */
// expect verdict=violated kind=race line=25
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

union {
  _Atomic __int128 whole;
  uint64_t halves[2];
} word;
static atomic_int done;

static void *update(void *argument) {
  atomic_store_explicit(&word.whole, 1, memory_order_relaxed);
  atomic_store_explicit(&done, 1, memory_order_release);
  return argument;
}

static void *ordered(void *argument) {
  if (atomic_load_explicit(&done, memory_order_acquire)) word.halves[0] = 2;
  return argument;
}

static void *unordered(void *argument) {
  if (atomic_load_explicit(&done, memory_order_relaxed)) word.halves[1] = 3;
  return argument;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, update, 0);
  pthread_create(&threads[1], 0, ordered, 0);
  pthread_create(&threads[2], 0, unordered, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
