// expect verdict=violated kind=misuse line=5
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *unlock(void *a) {
  pthread_mutex_unlock(&m);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, unlock, 0);
  pthread_join(t, 0);
}
