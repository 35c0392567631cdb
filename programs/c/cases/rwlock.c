// expect verdict=holds
#include <assert.h>
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;
static void *writer(void *x) {
  pthread_rwlock_wrlock(&l);
  a++;
  b++;
  pthread_rwlock_unlock(&l);
  return x;
}
static void *reader(void *x) {
  pthread_rwlock_rdlock(&l);
  assert(a == b);
  pthread_rwlock_unlock(&l);
  return x;
}
int main(void) {
  pthread_t w, r[2];
  pthread_create(&w, 0, writer, 0);
  for (int i = 0; i < 2; i++) pthread_create(&r[i], 0, reader, 0);
  pthread_join(w, 0);
  for (int i = 0; i < 2; i++) pthread_join(r[i], 0);
}
