// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
int main(void) {
  pthread_mutex_t lock;
  pthread_mutex_init(&lock, 0);
  pthread_mutex_lock(&lock);
#ifndef WRONG
  pthread_mutex_unlock(&lock);
#endif
  pthread_mutex_destroy(&lock);
}
