/* FAIS of section 1 of SPORE (PLDI 2024): threads that increment one counter.

   The updates are totally ordered, in any of n! ways; the threads cannot be told apart, so all of them are one. */
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1
// expect n=7 off=5040 on=1
// expect n=8 off=40320 on=1
// expect n=16 on=1
// expect n=32 on=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *argument) {
  (void)argument;
  atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, increment, 0);
  for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
  assert(atomic_load_explicit(&counter, memory_order_relaxed) == N);
}
