// Three like threads each order their block and the one that came before.
// expect verdict=violated kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) left;
static atomic_int falling;

static void *compare(void *argument) {
  char *mine = malloc(8), *before = atomic_exchange(&left, mine);
  if (before && before > mine) assert(atomic_fetch_add(&falling, 1) < 1);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, compare, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
