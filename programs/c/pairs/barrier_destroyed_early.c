// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
static pthread_barrier_t barrier;
static void *work(void *argument) {
  pthread_barrier_wait(&barrier);
#ifdef WRONG
  pthread_barrier_wait(&barrier);
#endif
  return argument;
}
int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, 0, 2);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
#ifdef WRONG
  pthread_join(threads[0], 0);
  pthread_barrier_destroy(&barrier);
  pthread_barrier_destroy(&barrier);
  pthread_join(threads[1], 0);
#else
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  pthread_barrier_destroy(&barrier);
#endif
}
