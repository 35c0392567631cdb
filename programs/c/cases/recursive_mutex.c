// expect verdict=holds executions=2
// expect verdict=holds executions=1 symmetry=on
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m;
static int depth;
static void *twice(void *a) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  depth++;
  pthread_mutex_unlock(&m);
  assert(depth == 1);
  depth--;
  pthread_mutex_unlock(&m);
  return a;
}
int main(void) {
  pthread_mutexattr_t a;
  pthread_t t[2];
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &a);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, twice, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  pthread_mutex_destroy(&m);
}
