// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse,uninitialised cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
static pthread_spinlock_t lock;
int main(void) {
#ifndef WRONG
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#endif
  pthread_spin_lock(&lock);
  pthread_spin_unlock(&lock);
  pthread_spin_destroy(&lock);
}
