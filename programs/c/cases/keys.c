// expect verdict=holds
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_key_t key;
static void *worker(void *a) {
  assert(pthread_getspecific(key) == 0);
  pthread_setspecific(key, malloc(4));
  return a;
}
int main(void) {
  pthread_t t[2];
  pthread_key_create(&key, free);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
