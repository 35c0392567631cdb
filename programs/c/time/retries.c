// After three timeouts the thread gives up: time must pass three times.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DASSERT
// expect verdict=holds cflags=-DNEVER
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int flag;
static int tries;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *wait(void *argument) {
  for (tries = 0; tries < 3; tries++) {
    double begin = now();
    while (now() - begin < 1.5)
      if (atomic_load_explicit(&flag, memory_order_acquire)) return argument;
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
#ifdef ASSERT
  assert(tries < 3);
#endif
#ifdef NEVER
  assert(tries == 3);
#endif
}
