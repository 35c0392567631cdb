// A watchdog compares times of two threads: the other may be alive and late.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DASSERT
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_long beat;
static atomic_int stopped;

static void *work(void *argument) {
  for (int i = 0; i < 2; i++) atomic_store(&beat, (long)time(0));
  atomic_store(&stopped, 1);
  return argument;
}

int main(void) {
  pthread_t thread;
  int alarm = 0;
  atomic_store(&beat, (long)time(0));
  pthread_create(&thread, 0, work, 0);
  while (!atomic_load(&stopped) && !alarm) alarm = (long)time(0) - atomic_load(&beat) > 5;
  pthread_join(thread, 0);
#ifdef ASSERT
  assert(!alarm);
#endif
}
