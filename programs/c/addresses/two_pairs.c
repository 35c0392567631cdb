// Two pairs of like threads. Those of the first order their addresses, those of the second do not, and stay alike.
// expect verdict=holds executions=4
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) left;
static atomic_int x, order;

static void *compare(void *argument) {
  char *mine = malloc(8), *before = atomic_exchange(&left, mine);
  if (before && before < mine) atomic_store(&order, 1);
  return argument;
}

static void *add(void *argument) {
  atomic_fetch_add(&x, 1);
  return argument;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i < 2 ? compare : add, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return atomic_load(&order) > 1;
}
