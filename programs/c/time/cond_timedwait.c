// 5 executions: it is notified; or it waits in vain, takes the mutex before the other thread or after it, and then looks at
// the clock on time or late.
// The mutex is held again, whatever happens.
// expect verdict=holds executions=5
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
#define _GNU_SOURCE
#include "outcome.h"
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int inside, data;

static void *notify(void *argument) {
  pthread_mutex_lock(&mutex);
  assert(!inside);
  data = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  struct timespec deadline = from_now(600);
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, 0, notify, 0);
#ifdef CLOCK
  int result = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &deadline);
#else
  int result = pthread_cond_timedwait(&cond, &mutex, &deadline);
#endif
  inside = 1;
  assert(result == 0 || result == ETIMEDOUT);
  assert(result == ETIMEDOUT || data);
  outcome(result == 0);
  if (result) is_over(deadline);
  inside = 0;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
}
// expect verdict=holds executions=5 cflags=-DCLOCK
// expect verdict=violated kind=assertion cflags=-DCLOCK cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DCLOCK cflags=-DNO_SUCCESS
