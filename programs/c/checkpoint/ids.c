// Threads that differ in an index: whether they are alike is looked at in every execution, and what was seen before a check
// was stopped counts when it goes on.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;
static int cell[N];

static void *worker(void *argument) {
  long id = (long)argument;
  cell[id] = 1;
  atomic_fetch_add(&x, 1);
  atomic_load(&x);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  for (long i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
  return 0;
}
