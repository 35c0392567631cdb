// A variable of a thread that has ended.
// expect verdict=holds
// expect verdict=violated kind=dead-stack cflags=-DWRONG
#include <pthread.h>
#include <stdlib.h>
static void *work(void *argument) {
#ifdef WRONG
  int own = 3;
  int *volatile p = &own;
#else
  int *p = malloc(sizeof *p);
  *p = 3;
#endif
  return p;
}
int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, &result);
  int value = *(int *)result;
#ifndef WRONG
  free(result);
#endif
  return value - 3;
}
