// A pointer to a thread-local variable, used when its thread has been joined.
// expect verdict=holds everywhere
// expect verdict=violated kind=dead-stack cflags=-DWRONG mentions=`counter` mentions=ended everywhere
// expect verdict=violated kind=dead-stack cflags=-DWRONG cflags=-DATOMIC mentions=ended
// expect verdict=violated kind=dead-stack cflags=-DWRONG cflags=-DCOPY mentions=ended
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#ifdef ATOMIC
static _Thread_local atomic_int counter;
#else
static _Thread_local int counter = 2;
#endif
static int shared;
static void *work(void *argument) {
  counter = 3;
#ifdef WRONG
  return &counter;
#else
  shared = counter;
  return &shared;
#endif
}
int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, &result);
  int seen;
#if defined ATOMIC && defined WRONG
  seen = atomic_load((atomic_int *)result);
#elif defined COPY
  memcpy(&seen, result, sizeof seen);
#else
  seen = *(int *)result;
#endif
  return seen - 3;
}
