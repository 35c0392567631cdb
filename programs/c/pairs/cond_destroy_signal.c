// A condition variable is destroyed by who waited for it, while the other thread may be about to notify.
// expect verdict=holds
// expect verdict=holds cflags=-DBROADCAST
// expect verdict=holds cflags=-DC11
// expect verdict=violated kind=misuse cflags=-DWRONG mentions=destroyed
// expect verdict=violated kind=misuse cflags=-DWRONG cflags=-DBROADCAST mentions=destroyed
// expect verdict=violated kind=misuse cflags=-DWRONG cflags=-DC11 mentions=destroyed
#include <pthread.h>
#include <threads.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef C11
static cnd_t cond;
#define pthread_cond_signal cnd_signal
#define pthread_cond_destroy cnd_destroy
#define pthread_cond_wait(c, m) cnd_wait(c, (mtx_t *)m)
#else
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
#endif
static int ready;
static void notify(void) {
#ifdef BROADCAST
  pthread_cond_broadcast(&cond);
#else
  pthread_cond_signal(&cond);
#endif
}
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  ready = 1;
#ifndef WRONG
  notify();
#endif
  pthread_mutex_unlock(&lock);
#ifdef WRONG
  notify();
#endif
  return argument;
}
int main(void) {
  pthread_t thread;
#ifdef C11
  pthread_mutex_destroy(&lock);
  mtx_init((mtx_t *)&lock, mtx_plain);
  cnd_init(&cond);
#endif
  pthread_create(&thread, 0, work, 0);
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&cond, &lock);
  pthread_mutex_unlock(&lock);
  pthread_cond_destroy(&cond);
  pthread_join(thread, 0);
}
