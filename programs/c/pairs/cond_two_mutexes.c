// All who wait for a condition variable at the same time must use one mutex.
// expect verdict=holds
// expect verdict=violated kind=misuse mentions=mutexes cflags=-DWRONG
// expect verdict=violated kind=misuse mentions=mutexes cflags=-DTIMED
#include <pthread.h>
#include <time.h>
#ifdef TIMED
#define WRONG
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef WRONG
static pthread_mutex_t another = PTHREAD_MUTEX_INITIALIZER;
#endif
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, also_ready;

static void wait(pthread_mutex_t *mutex, int *flag) {
  pthread_mutex_lock(mutex);
#ifdef TIMED
  struct timespec end = {.tv_sec = 1};
  while (!*flag && !pthread_cond_timedwait(&cond, mutex, &end)) {}
#else
  while (!*flag) pthread_cond_wait(&cond, mutex);
#endif
  pthread_mutex_unlock(mutex);
}

static void *first(void *argument) {
  wait(&lock, &ready);
  return argument;
}

static void *second(void *argument) {
#ifdef WRONG
  wait(&another, &also_ready);
#else
  wait(&lock, &also_ready);
#endif
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_mutex_unlock(&lock);
#ifdef WRONG
  pthread_mutex_t *other = &another;
#else
  pthread_mutex_t *other = &lock;
#endif
  pthread_mutex_lock(other);
  also_ready = 1;
  pthread_mutex_unlock(other);
  pthread_cond_broadcast(&cond);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
