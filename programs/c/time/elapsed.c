// A loop until a deadline ends, however long that is away; one that another thread ends may end so.
// expect verdict=violated kind=assertion cflags=-DASSERT everywhere
// expect verdict=holds
// expect verdict=holds cflags=-DNEVER
// expect verdict=holds cflags=-DNEVER cflags=-DLIMIT=86400
// expect verdict=holds cflags=-DNEVER cflags=-DLIMIT=100000000
// expect verdict=holds cflags=-DPAUSE cflags=-DLIMIT=600
// expect verdict=holds cflags=-DPAUSE cflags=-DNEVER cflags=-DLIMIT=600
// expect verdict=violated kind=assertion cflags=-DPAUSE cflags=-DASSERT
// expect verdict=holds cflags=-DTYPE=int cflags=-DUNIT=1000 cflags=-DNEVER
// expect verdict=holds cflags=-DTYPE=int cflags=-DUNIT=1000000 cflags=-DNEVER cflags=-fwrapv
// expect verdict=holds cflags=-DTYPE=float cflags=-DNEVER
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef TYPE
#define TYPE double
#endif
#ifndef UNIT
#define UNIT 1
#endif

atomic_int flag;
static int gave_up;

static void *wait(void *argument) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (;;) {
    if (atomic_load_explicit(&flag, memory_order_acquire)) break;
    clock_gettime(CLOCK_MONOTONIC, &now);
    TYPE elapsed = (TYPE)(now.tv_sec - begin.tv_sec) * (TYPE)UNIT;
    if (elapsed >= (TYPE)LIMIT * (TYPE)UNIT) {
#ifdef ASSERT
      assert(0);
#endif
      gave_up = 1;
      break;
    }
#ifdef PAUSE
    usleep(1000);
#endif
  }
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, wait, 0);
#ifndef NEVER
  atomic_store_explicit(&flag, 1, memory_order_release);
#endif
  pthread_join(thread, 0);
#ifdef NEVER
  assert(gave_up);
#endif
}
