// Two threads with different functions. Only if the second one's memory is lower does something go wrong.
// expect verdict=violated kind=assertion cflags=-DGREATER=mine>before
// expect verdict=violated kind=assertion cflags=-DGREATER=mine<before
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) left;

static void *leave(void *argument) {
  atomic_store(&left, malloc(8));
  return argument;
}

static void *compare(void *argument) {
  char *mine = malloc(8), *before = atomic_load(&left);
  if (before) assert(GREATER);
  return argument;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, leave, 0);
  pthread_create(&two, 0, compare, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
