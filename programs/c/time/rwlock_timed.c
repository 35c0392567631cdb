// To write, 4 executions as for a mutex. To read, 7: it looks at the lock and then takes it, so there are two ways to find out
// that it is taken (each on time or late), and three to get it.
// expect verdict=holds executions=7
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
// expect verdict=holds executions=4 cflags=-DWRITE
// expect verdict=violated kind=assertion cflags=-DWRITE cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DWRITE cflags=-DNO_SUCCESS
// expect verdict=holds executions=7 cflags=-DCLOCK
// expect verdict=holds executions=4 cflags=-DWRITE cflags=-DCLOCK
#define _GNU_SOURCE
#include "outcome.h"
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *hold(void *argument) {
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  return argument;
}

int main(void) {
  struct timespec deadline = from_now(1);
  pthread_t thread;
  pthread_create(&thread, 0, hold, 0);
#if defined WRITE && defined CLOCK
  int result = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline);
#elif defined WRITE
  int result = pthread_rwlock_timedwrlock(&lock, &deadline);
#elif defined CLOCK
  int result = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &deadline);
#else
  int result = pthread_rwlock_timedrdlock(&lock, &deadline);
#endif
  assert(result == 0 || result == ETIMEDOUT);
  outcome(result == 0);
  if (result == 0) pthread_rwlock_unlock(&lock); else is_over(deadline);
  pthread_join(thread, 0);
}
