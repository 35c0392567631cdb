// What pthread_cleanup_push has registered runs when the thread exits, the last first.
// expect verdict=holds
// expect verdict=holds cflags=-fexceptions
// expect verdict=violated kind=deadlock cflags=-DKEEP
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void first(void *argument) { (void)argument; order = order * 10 + 1; }
static void second(void *argument) {
  order = order * 10 + 2;
#ifndef KEEP
  pthread_mutex_unlock(argument);
#endif
}
static void third(void *argument) { (void)argument; order = order * 10 + 3; }

static void leave(void) { pthread_exit(&order); }

static void *run(void *argument) {
  pthread_cleanup_push(first, 0);
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(second, &mutex);
  pthread_cleanup_push(third, 0);
  pthread_cleanup_pop(1);
  leave();
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return argument;
}

int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, run, 0);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, &result);
  assert(result == &order && order == 321);
}
