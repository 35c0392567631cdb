// An error that only the last executions show: a check that is stopped before them, and gone on with, finds it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *worker(void *argument) {
  int seen = atomic_load(&x);
  atomic_store(&x, seen + (int)(long)argument);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, worker, (void *)(1L << i));
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  assert(x != LATE);
}
