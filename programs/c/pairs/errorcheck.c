// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=assertion cflags=-DWRONG with=gcc opt=0
#include <assert.h>
#include <errno.h>
#include <pthread.h>
int main(void) {
  pthread_mutex_t lock;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&lock, &kind);
  pthread_mutex_lock(&lock);
#ifdef WRONG
  assert(pthread_mutex_lock(&lock) == 0);
#else
  assert(pthread_mutex_lock(&lock) == EDEADLK);
#endif
  pthread_mutex_unlock(&lock);
  assert(pthread_mutex_unlock(&lock) == EPERM);
  pthread_mutex_destroy(&lock);
}
