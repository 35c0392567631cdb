// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse,deadlock cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&cond, &lock);
  pthread_mutex_unlock(&lock);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_mutex_lock(&lock);
#ifndef WRONG
  ready = 1;
  pthread_cond_signal(&cond);
#endif
  pthread_mutex_unlock(&lock);
#ifndef WRONG
  pthread_join(thread, 0);
#endif
  pthread_cond_destroy(&cond);
}
