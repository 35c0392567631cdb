// The first of two like threads to come leaves the address of a variable on its stack; the second compares its own with it.
// expect verdict=violated kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) left;

static void *compare(void *argument) {
  int mine = 0;
  int *before = 0;
  if (atomic_compare_exchange_strong(&left, &before, &mine)) return argument;
  assert(before < &mine);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, compare, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
