// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=deadlock cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
#ifdef WRONG
#define COUNT 3
#else
#define COUNT 2
#endif
static pthread_barrier_t barrier;
static void *work(void *argument) {
  pthread_barrier_wait(&barrier);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, 0, COUNT);
  pthread_create(&thread, 0, work, 0);
  pthread_barrier_wait(&barrier);
  pthread_join(thread, 0);
  pthread_barrier_destroy(&barrier);
}
