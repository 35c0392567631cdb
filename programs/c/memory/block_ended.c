// A pointer to a variable of a block that has ended, in the function itself and in another thread.
// expect verdict=holds
// expect verdict=violated kind=dead-stack mentions=`inner with=clang opt=1,2,3 everywhere cflags=-DWRONG
// expect verdict=violated kind=dead-stack mentions=`inner with=clang opt=1,2,3 everywhere cflags=-DTHREAD
#include <pthread.h>
#include <stddef.h>
static int *volatile kept;
static void *work(void *argument) {
  ++*(int *)argument;
  return argument;
}
int main(void) {
  int sum = 0;
  pthread_t thread;
  for (int round = 0; round < 2; round++) {
    int inner = round, *p = &inner;
    kept = p;
    sum += *kept;
  }
  {
    int inner = 1;
    kept = &inner;
    pthread_create(&thread, NULL, work, &inner);
#ifndef THREAD
    pthread_join(thread, NULL);
#endif
    sum++;
  }
#ifdef THREAD
  pthread_join(thread, NULL);
#endif
#ifdef WRONG
  sum += *kept;
#endif
  return sum == 0;
}
