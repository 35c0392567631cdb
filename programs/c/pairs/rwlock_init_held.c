// A right form, and a wrong one.
// expect verdict=holds
// expect verdict=violated kind=misuse cflags=-DWRONG
// expect verdict=violated kind=misuse cflags=-DWRONG cflags=-DWRITER
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

// Each call has a lock of its own, at the same address: what was of another one does not count.
static void once(void) {
  pthread_rwlock_t own;
  pthread_rwlock_init(&own, 0);
  pthread_rwlock_rdlock(&own);
}

int main(void) {
  once();
  once();
#ifdef WRITER
  pthread_rwlock_wrlock(&lock);
#else
  pthread_rwlock_rdlock(&lock);
#endif
#ifndef WRONG
  pthread_rwlock_unlock(&lock);
#endif
  pthread_rwlock_init(&lock, 0);
  pthread_rwlock_destroy(&lock);
  return 0;
}
