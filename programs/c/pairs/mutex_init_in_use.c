// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
static pthread_mutex_t lock;
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_mutex_init(&lock, 0);
  pthread_create(&thread, 0, work, 0);
#ifdef WRONG
  pthread_mutex_init(&lock, 0);
#endif
  pthread_join(thread, 0);
#ifndef WRONG
  pthread_mutex_destroy(&lock);
#endif
}
