// An error code that is seen while waiting for the end.
// expect verdict=violated kind=assertion cflags=-DFLAG
// expect verdict=violated kind=assertion cflags=-DMASK
// expect verdict=violated kind=assertion cflags=-DRETURNED
// expect verdict=holds cflags=-DFLAG cflags=-DNO_ERROR
// expect verdict=holds cflags=-DMASK cflags=-DNO_ERROR
#include "loops.h"
enum { RUNNING, ERROR, DONE };
atomic_int state;
static int watch(void) {
  int error = 0, now;
  do {
    now = acquire(state);
#if defined MASK
    error |= 1 << now;
#else
    if (now == ERROR) error = 1;
#endif
  } while (now != DONE);
#ifdef MASK
  error = (error >> ERROR) & 1;
#endif
  return error;
}
static void *waiter(void *a) {
#ifdef RETURNED
  int *result = a;
  *result = watch();
#else
  assert(!watch());
#endif
  return a;
}
int main(void) {
  pthread_t t;
  int result = 0;
  pthread_create(&t, 0, waiter, &result);
#ifndef NO_ERROR
  release(state, ERROR);
#endif
  release(state, DONE);
  pthread_join(t, 0);
  assert(!result);
}
