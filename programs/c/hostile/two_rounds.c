// Two rounds of like threads that wait for one condition variable, beside the one that notifies them.
// expect verdict=holds executions=20 everywhere
// expect verdict=holds executions=5 flags=--symmetry=ids
// expect verdict=holds executions=20 flags=--symmetry=off
// expect verdict=holds executions=576 cflags=-DN=3
// expect verdict=holds executions=16 cflags=-DN=3 flags=--symmetry=ids
// expect verdict=holds executions=5 cflags=-DALIKE everywhere
// expect verdict=holds executions=16 cflags=-DALIKE cflags=-DN=3
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int may_go;

static void *worker(void *argument) {
  pthread_mutex_lock(&mutex);
  while (!may_go)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void *starter(void *argument) {
  pthread_mutex_lock(&mutex);
  may_go = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t first, threads[N];
  pthread_create(&first, 0, starter, 0);
  for (int round = 0; round < 2; round++) {
    for (long i = 0; i < N; i++) {
#ifdef ALIKE
      pthread_create(&threads[i], 0, worker, 0);
#else
      pthread_create(&threads[i], 0, worker, (void *)i);
#endif
    }
    for (int i = 0; i < N; i++)
      pthread_join(threads[i], 0);
  }
  pthread_join(first, 0);
}
