// A loop that waits with a deadline again and again, and one that gives up after the deadline.
// expect verdict=holds
// expect verdict=violated kind=livelock cflags=-DNEVER
// expect verdict=holds cflags=-DGIVE_UP
// expect verdict=holds cflags=-DGIVE_UP cflags=-DNEVER
// expect verdict=violated kind=assertion cflags=-DGIVE_UP cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DGIVE_UP cflags=-DNO_SUCCESS
#include "outcome.h"
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *notify(void *argument) {
  pthread_mutex_lock(&mutex);
#ifndef NEVER
  ready = 1;
#endif
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  int error = 0;
  pthread_create(&thread, 0, notify, 0);
  pthread_mutex_lock(&mutex);
#ifdef GIVE_UP
  struct timespec deadline = from_now(1);
  while (!ready && error == 0) error = pthread_cond_timedwait(&cond, &mutex, &deadline);
  assert(ready || error == ETIMEDOUT);
  outcome(ready);
#else
  while (!ready) {
    struct timespec deadline = from_now(1);
    error = pthread_cond_timedwait(&cond, &mutex, &deadline);
  }
#endif
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
}
