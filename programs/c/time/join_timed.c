// With a deadline 3 executions: the thread has ended; or not yet, and the clock is looked at on time or late.
// expect verdict=holds executions=3
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
// expect verdict=holds executions=2 cflags=-DTRY
// expect verdict=violated kind=assertion cflags=-DTRY cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DTRY cflags=-DNO_SUCCESS
// expect verdict=violated kind=race cflags=-DRACE
#define _GNU_SOURCE
#include "outcome.h"
#include <errno.h>
#include <pthread.h>

static int data;

static void *run(void *argument) {
  data = 1;
  return argument;
}

int main(void) {
  struct timespec deadline = from_now(1);
  pthread_t thread;
  void *value = 0;
  pthread_create(&thread, 0, run, &data);
#ifdef TRY
  int result = pthread_tryjoin_np(thread, &value);
  assert(result == 0 || result == EBUSY);
#else
  int result = pthread_timedjoin_np(thread, &value, &deadline);
  assert(result == 0 || result == ETIMEDOUT);
  if (result) is_over(deadline);
#endif
  outcome(result == 0);
#ifdef RACE
  assert(data < 2);
#endif
  if (result) pthread_join(thread, &value);
  assert(value == &data && data == 1);
}
