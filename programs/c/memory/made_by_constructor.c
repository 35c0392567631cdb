// What a constructor makes before `main` is there in every execution.
// expect verdict=holds
// expect verdict=violated kind=misuse mentions=second cflags=-DAGAIN
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t s;
static pthread_barrier_t b;
static pthread_mutex_t *m;
static int *block;
__attribute__((constructor)) static void start(void) {
  sem_init(&s, 0, 1);
  pthread_barrier_init(&b, 0, 2);
  m = malloc(sizeof *m);
  pthread_mutex_init(m, 0);
  block = calloc(4, sizeof *block);
}
static void *use(void *a) {
  pthread_barrier_wait(&b);
  sem_wait(&s);
  block[1]++;
  sem_post(&s);
  pthread_mutex_lock(m);
  pthread_mutex_unlock(m);
  return a;
}
int main(void) {
  pthread_t t;
#ifdef AGAIN
  sem_init(&s, 0, 1);
#endif
  pthread_create(&t, 0, use, 0);
  use(0);
  pthread_join(t, 0);
  free(block);
  return 0;
}
