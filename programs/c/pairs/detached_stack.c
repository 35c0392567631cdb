// A right form, and a wrong one: a thread that is detached writes to a variable of a function that may have returned, while
// others are in calls that lie in the same place.
// expect verdict=holds
// expect verdict=violated kind=dead-stack cflags=-DWRONG
// expect verdict=violated kind=dead-stack cflags=-DWRONG cflags=-DSLEEP with=gcc
// expect verdict=violated kind=dead-stack cflags=-DWRONG cflags=-DSLEEP with=clang
#include <pthread.h>
#include <unistd.h>
static void *run(void *argument) {
  *(int *)argument = 1;
  return 0;
}
__attribute__((noinline)) static void begin(void) {
  int value = 0;
  pthread_t thread;
  pthread_create(&thread, 0, run, &value);
#ifdef WRONG
  pthread_detach(thread);
#else
  pthread_join(thread, 0);
#endif
}
int main(void) {
  begin();
#ifdef SLEEP
  usleep(10);
#endif
}
