// Two like threads order their handles.
// expect verdict=violated kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(pthread_t) left;

static void *compare(void *argument) {
  pthread_t me = pthread_self(), before = atomic_exchange(&left, me);
  if (before) assert(before < me);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, compare, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
