// Two pointers are compared as bytes are.
// expect verdict=violated kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(char *) left;

static void *compare(void *argument) {
  char *mine = malloc(8), *before = atomic_exchange(&left, mine);
  if (before) assert(memcmp(&before, &mine, sizeof mine) < 0);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, compare, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
