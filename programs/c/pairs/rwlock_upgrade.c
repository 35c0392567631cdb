// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=deadlock,misuse cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;
static void *work(void *argument) {
  pthread_rwlock_rdlock(&lock);
  int seen = value;
#ifndef WRONG
  pthread_rwlock_unlock(&lock);
#endif
  pthread_rwlock_wrlock(&lock);
  value = seen + 1;
  pthread_rwlock_unlock(&lock);
  return argument;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
