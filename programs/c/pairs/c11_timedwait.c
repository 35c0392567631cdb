// A timed wait may time out, which must not be taken for success.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=assertion cflags=-DWRONG with=gcc opt=0
#include <assert.h>
#include <threads.h>
#include <time.h>
static mtx_t lock;
static cnd_t cond;
static int ready;
static int work(void *argument) {
  mtx_lock(&lock);
  ready = 1;
  cnd_signal(&cond);
  mtx_unlock(&lock);
  return 0;
}
int main(void) {
  thrd_t thread;
  struct timespec end;
  mtx_init(&lock, mtx_timed);
  cnd_init(&cond);
  thrd_create(&thread, work, 0);
  timespec_get(&end, TIME_UTC);
  end.tv_sec += 1;
  mtx_lock(&lock);
  int result = thrd_success;
  while (!ready && result == thrd_success) result = cnd_timedwait(&cond, &lock, &end);
#ifdef WRONG
  assert(ready);
#else
  assert(ready || result == thrd_timedout);
#endif
  mtx_unlock(&lock);
  thrd_join(thread, 0);
}
