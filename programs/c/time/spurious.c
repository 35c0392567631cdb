// A wait in an `if`: right only as long as nobody wakes up without a reason.
// expect verdict=holds says=spurious.c:28 says=--spurious-wakeups
// expect verdict=violated kind=assertion flags=--spurious-wakeups=1
// expect verdict=holds cflags=-DLOOP silent=spurious.c
// expect verdict=holds cflags=-DLOOP flags=--spurious-wakeups=2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set(void *argument) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  pthread_mutex_lock(&mutex);
#ifdef LOOP
  while (!ready) pthread_cond_wait(&cond, &mutex);
#else
  if (!ready) pthread_cond_wait(&cond, &mutex);
#endif
  assert(ready);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
}
