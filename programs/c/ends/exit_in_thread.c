// A thread ends the program while others run: handlers run beside them.
// expect verdict=violated kind=race
// expect verdict=holds cflags=-DATOMIC
// expect verdict=violated kind=assertion cflags=-DATOMIC cflags=-DASSERT
// expect verdict=holds cflags=-DATOMIC cflags=-DASSERT cflags=-DNOW
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef ATOMIC
static atomic_int value;
#else
int value;
#endif

static void handler(void) {
  value = 2;
#ifdef ASSERT
  assert(0);
#endif
}

static void *run(void *argument) {
  (void)argument;
#ifdef NOW
  _exit(0);
#else
  exit(0);
#endif
}

int main(void) {
  pthread_t thread;
  atexit(handler);
  pthread_create(&thread, 0, run, 0);
  value = 1;
  pthread_join(thread, 0);
  assert(0 && "nobody comes here");
}
