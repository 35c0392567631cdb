// A key is used that was deleted, or never created.
// expect verdict=violated kind=misuse cflags=-DDELETED cflags=-DGET
// expect verdict=violated kind=misuse cflags=-DDELETED cflags=-DSET
// expect verdict=violated kind=misuse cflags=-DDELETED cflags=-DDELETE
// expect verdict=violated kind=misuse cflags=-DNEVER cflags=-DGET
// expect verdict=violated kind=misuse cflags=-DNEVER cflags=-DSET
// expect verdict=holds cflags=-DGET
// expect verdict=holds cflags=-DSET
#include <pthread.h>
int main(void) {
  pthread_key_t key = 77;
#ifndef NEVER
  pthread_key_create(&key, 0);
#endif
#ifdef DELETED
  pthread_key_delete(key);
#endif
#if defined GET
  return pthread_getspecific(key) != 0;
#elif defined SET
  return pthread_setspecific(key, 0);
#elif defined DELETE
  return pthread_key_delete(key);
#endif
}
