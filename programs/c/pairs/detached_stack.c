// A right form, and a wrong one: a thread that is detached writes to a variable of a function that may have returned, while
// others are in calls that lie in the same place.
// expect verdict=holds
// expect verdict=violated kind=dead-stack cflags=-DWRONG
// expect verdict=violated kind=dead-stack cflags=-DWRONG cflags=-DSLEEP with=gcc
// expect verdict=violated kind=dead-stack cflags=-DWRONG cflags=-DSLEEP with=clang
// expect verdict=holds cflags=-DWAIT
// expect verdict=violated kind=dead-stack cflags=-DWRONG cflags=-DWAIT with=gcc
// expect verdict=violated kind=dead-stack cflags=-DWRONG cflags=-DWAIT with=clang
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t done;
static void *run(void *argument) {
  *(int *)argument = 1;
#ifdef WAIT
  sem_post(&done);
#endif
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
  sem_init(&done, 0, 0);
  begin();
#ifdef WAIT
  // Until the thread has written, this call lies there.
  sem_wait(&done);
#endif
#ifdef SLEEP
  usleep(10);
#endif
}
