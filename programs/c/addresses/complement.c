// The complements of two addresses are ordered, and numbers of floating point that are made of them.
// expect verdict=violated kind=assertion cflags=-DKEY=~p cflags=-DRIGHT=key(before)>key(mine)
// expect verdict=violated kind=assertion cflags=-DKEY=-p cflags=-DRIGHT=key(before)>key(mine)
// expect verdict=violated kind=assertion cflags=-DKEY=(uintptr_t)((double)p/134217728.0) cflags=-DRIGHT=key(before)<key(mine)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static _Atomic(char *) left;

static uintptr_t key(char *block) {
  uintptr_t p = (uintptr_t)block;
  return KEY;
}

static void *compare(void *argument) {
  char *mine = malloc(8), *before = atomic_exchange(&left, mine);
  if (before) assert(RIGHT);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, compare, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
