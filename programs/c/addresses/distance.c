// The distance of two blocks is computed as a number, and its sign is looked at.
// expect verdict=violated kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static _Atomic(char *) left;

static void *compare(void *argument) {
  char *mine = malloc(8), *before = atomic_exchange(&left, mine);
  if (before) {
    intptr_t distance = (intptr_t)mine - (intptr_t)before;
    assert(distance > 0);
  }
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, compare, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
