// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=deadlock cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
static pthread_mutex_t lock;
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
#ifndef WRONG
  pthread_mutex_unlock(&lock);
#endif
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &kind);
  pthread_mutexattr_destroy(&kind);
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
