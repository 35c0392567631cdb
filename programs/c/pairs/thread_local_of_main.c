// A variable of the first thread is there while handlers run at the end; that of another thread is not.
// expect verdict=holds
// expect verdict=violated kind=dead-stack cflags=-DWRONG mentions=ended
#include <pthread.h>
#include <stdlib.h>
static _Thread_local int own = 7;
static int *kept = 0;
static void last(void) {
  if (*kept != 7) abort();
}
static void *work(void *argument) {
#ifdef WRONG
  kept = &own;
#endif
  return argument;
}
int main(void) {
  pthread_t thread;
  kept = &own;
  atexit(last);
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
}
