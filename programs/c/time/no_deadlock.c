// Two threads that take two mutexes in opposite orders are stuck, unless one of them gives up after a time.
// expect verdict=holds
// expect verdict=violated kind=deadlock cflags=-DFOR_EVER
#include "outcome.h"
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *argument) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return argument;
}

int main(void) {
  struct timespec deadline = from_now(1);
  pthread_t thread;
  pthread_create(&thread, 0, one, 0);
  pthread_mutex_lock(&b);
#ifdef FOR_EVER
  if (pthread_mutex_lock(&a) == 0) pthread_mutex_unlock(&a);
#else
  if (pthread_mutex_timedlock(&a, &deadline) == 0) pthread_mutex_unlock(&a);
#endif
  pthread_mutex_unlock(&b);
  pthread_join(thread, 0);
}
