// An object with a static initialiser may be initialised again before anybody uses it.
// expect verdict=holds
// expect verdict=violated kind=misuse cflags=-DLOCKED
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static void *use(void *a) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_rwlock_rdlock(&r);
  pthread_rwlock_unlock(&r);
  return a;
}
int main(void) {
  pthread_t t;
#ifdef LOCKED
  pthread_mutex_lock(&m);
#endif
  pthread_mutex_init(&m, 0);
  pthread_cond_init(&c, 0);
  pthread_rwlock_init(&r, 0);
  pthread_create(&t, 0, use, 0);
  use(0);
  pthread_join(t, 0);
  pthread_mutex_destroy(&m);
  pthread_cond_destroy(&c);
  pthread_rwlock_destroy(&r);
  return 0;
}
