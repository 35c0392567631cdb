// 3 executions: it gets the semaphore; or waits in vain, and looks at the clock on time or late.
// expect verdict=holds executions=3
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
// expect verdict=holds executions=3 cflags=-DCLOCK
#define _GNU_SOURCE
#include "outcome.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *post(void *argument) {
  sem_post(&semaphore);
  return argument;
}

int main(void) {
  struct timespec deadline = from_now(1);
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, 0, post, 0);
#ifdef CLOCK
  int result = sem_clockwait(&semaphore, CLOCK_MONOTONIC, &deadline);
#else
  int result = sem_timedwait(&semaphore, &deadline);
#endif
  assert(result == 0 || errno == ETIMEDOUT);
  outcome(result == 0);
  if (result) is_over(deadline);
  pthread_join(thread, 0);
}
