// A key for thread-specific data is deleted while another thread uses it.
// expect verdict=holds
// expect verdict=holds cflags=-DSET
// expect verdict=violated kind=race,misuse cflags=-DWRONG mentions=key
// expect verdict=violated kind=race,misuse cflags=-DWRONG cflags=-DSET mentions=key
#include <pthread.h>
#include <stdatomic.h>
static pthread_key_t key, other;
static atomic_int begun;
static void *work(void *argument) {
  atomic_store(&begun, 1);
#ifdef SET
  pthread_setspecific(key, &begun);
#else
  pthread_getspecific(key);
#endif
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_key_create(&other, 0);
  pthread_key_create(&key, 0);
  pthread_create(&thread, 0, work, 0);
  while (!atomic_load(&begun)) {
  }
  pthread_key_delete(other);
#ifndef WRONG
  pthread_join(thread, 0);
#endif
  pthread_key_delete(key);
#ifdef WRONG
  pthread_join(thread, 0);
#endif
}
