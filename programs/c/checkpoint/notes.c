// What a check has to say in the end besides its counts: a leak, and a thread that waits forever when the program ends, each in
// some executions only. A check that was stopped in the middle and gone on with says all of it as well.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x, y;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *stuck(void *argument) {
  if (atomic_load(&x) != 1) return argument;
  pthread_mutex_lock(&mutex);
  while (!atomic_load(&y)) pthread_cond_wait(&ready, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void *writer(void *argument) {
  int old = atomic_fetch_add(&x, 1);
  char *block = malloc(8);
  if (old != 1) free(block);
  return argument;
}

int main(void) {
  pthread_t threads[4];
  pthread_create(&threads[3], 0, stuck, 0);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, writer, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return atomic_load(&x) != 3;
}
