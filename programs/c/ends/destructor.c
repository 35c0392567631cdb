// Destructors run at the end of the program, beside threads that are still there.
// expect verdict=violated kind=assertion,race everywhere
// expect verdict=violated kind=assertion cflags=-DJOIN everywhere
// expect verdict=violated kind=race cflags=-DQUIET
// expect verdict=holds executions=1 cflags=-DQUIET cflags=-DJOIN
// expect verdict=violated kind=race cflags=-DQUIET cflags=-DEXIT
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

__attribute__((constructor)) static void start(void) { x = 5; }
__attribute__((destructor)) static void end(void) {
  x = 1;
#ifndef QUIET
  assert(0 && "it runs");
#endif
}

static void *run(void *argument) {
  x = 2;
  return argument;
}

int main(void) {
  pthread_t thread;
  assert(x == 5);
  pthread_create(&thread, 0, run, 0);
#ifdef JOIN
  pthread_join(thread, 0);
#endif
#ifdef EXIT
  exit(0);
#endif
}
