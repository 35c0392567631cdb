// Times of different threads: what one knows of another, its clock knows too; otherwise either may be later.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DFIRST
// expect verdict=violated kind=assertion cflags=-DSECOND
// expect verdict=holds cflags=-DRELAXED
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_long sent;
static long here, there;

static void *send(void *argument) {
  there = (long)time(0);
  sleep(5);
#ifdef RELAXED
  atomic_store_explicit(&sent, (long)time(0), memory_order_relaxed);
#else
  atomic_store_explicit(&sent, (long)time(0), memory_order_release);
#endif
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, send, 0);
  here = (long)time(0);
#ifdef RELAXED
  long got = atomic_load_explicit(&sent, memory_order_relaxed);
#else
  long got = atomic_load_explicit(&sent, memory_order_acquire);
#endif
  assert(time(0) >= got);
  pthread_join(thread, 0);
  assert(time(0) >= there + 5);
#ifdef FIRST
  assert(here <= there);
#endif
#ifdef SECOND
  assert(there <= here);
#endif
}
