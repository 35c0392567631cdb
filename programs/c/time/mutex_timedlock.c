// 4 executions: it locks before the other thread, or after it; or in vain, and then looks at the clock on time or late.
// expect verdict=holds executions=4
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
#include "outcome.h"
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  struct timespec deadline = from_now(1);
  pthread_t thread;
  pthread_create(&thread, 0, hold, 0);
  int result = pthread_mutex_timedlock(&mutex, &deadline);
  assert(result == 0 || result == ETIMEDOUT);
  outcome(result == 0);
  if (result == 0) pthread_mutex_unlock(&mutex); else is_over(deadline);
  pthread_join(thread, 0);
}
