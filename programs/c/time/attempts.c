// Threads that try again to lock a mutex after each timeout.
// expect verdict=holds
// expect verdict=violated kind=livelock cflags=-DKEEP
#include "outcome.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *lock(void *argument) {
  for (;;) {
    struct timespec deadline = from_now(1);
    if (pthread_mutex_timedlock(&mutex, &deadline) == 0) break;
  }
  count++;
#ifndef KEEP
  pthread_mutex_unlock(&mutex);
#endif
  return argument;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, lock, 0);
  pthread_create(&b, 0, lock, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
}
