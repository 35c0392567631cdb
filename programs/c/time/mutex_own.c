// Who has a mutex already waits in vain, unless the mutex finds out.
// expect verdict=holds executions=2
#define _GNU_SOURCE
#include "outcome.h"
#include <errno.h>
#include <pthread.h>

int main(void) {
  struct timespec deadline = from_now(1), none = {1, 2000000000};
  pthread_mutexattr_t attributes;
  pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, checking, recursive;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checking, &attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutex_lock(&normal);
  pthread_mutex_lock(&checking);
  pthread_mutex_lock(&recursive);
  assert(pthread_mutex_timedlock(&normal, &none) == EINVAL);
  assert(pthread_mutex_timedlock(&normal, &deadline) == ETIMEDOUT);
  is_over(deadline);
  assert(pthread_mutex_timedlock(&checking, &deadline) == EDEADLK);
  assert(pthread_mutex_timedlock(&recursive, &deadline) == 0);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
}
