// As for pthread_mutex_timedlock and pthread_cond_timedwait.
// expect verdict=holds executions=4
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
// expect verdict=holds executions=5 cflags=-DCOND
// expect verdict=violated kind=assertion cflags=-DCOND cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DCOND cflags=-DNO_SUCCESS
#include "outcome.h"
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;

static int other(void *argument) {
  (void)argument;
  mtx_lock(&mutex);
  cnd_signal(&cond);
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  struct timespec deadline;
  thrd_t thread;
  assert(timespec_get(&deadline, TIME_UTC) == TIME_UTC);
  deadline.tv_sec += 5;
  mtx_init(&mutex, mtx_timed);
  cnd_init(&cond);
#ifdef COND
  mtx_lock(&mutex);
  thrd_create(&thread, other, 0);
  int result = cnd_timedwait(&cond, &mutex, &deadline);
#else
  thrd_create(&thread, other, 0);
  int result = mtx_timedlock(&mutex, &deadline);
#endif
  assert(result == thrd_success || result == thrd_timedout);
  outcome(result == thrd_success);
  if (result == thrd_timedout) is_over(deadline);
#ifdef COND
  mtx_unlock(&mutex);
#else
  if (result == thrd_success) mtx_unlock(&mutex);
#endif
  thrd_join(thread, 0);
}
