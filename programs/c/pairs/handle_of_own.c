// A new thread looks for its own handle, which POSIX lets pthread_create write after the thread has begun. C11 says that the handle
// is there.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
#include <assert.h>
#include <pthread.h>
#include <threads.h>
#ifdef WRONG
static pthread_t own;
static void *work(void *unused) {
  assert(pthread_equal(own, pthread_self()));
  return unused;
}
int main(void) {
  pthread_create(&own, 0, work, 0);
  pthread_join(own, 0);
}
#else
static thrd_t own;
static int work(void *unused) {
  (void)unused;
  assert(thrd_equal(own, thrd_current()));
  return 0;
}
int main(void) {
  thrd_create(&own, work, 0);
  thrd_join(own, 0);
}
#endif
