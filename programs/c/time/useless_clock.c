// A loop that looks at the clock but does not care for it waits for another thread, or forever.
// expect verdict=holds
// expect verdict=violated kind=livelock cflags=-DNEVER
// expect verdict=holds cflags=-DPAUSE
// expect verdict=violated kind=livelock cflags=-DNEVER cflags=-DPAUSE
// expect verdict=violated kind=livelock cflags=-DNEVER cflags=-DAGAIN
// expect verdict=holds cflags=-DAGAIN
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

atomic_int flag;

static void *wait(void *argument) {
  time_t begin = time(0), now = begin;
  while (!atomic_load_explicit(&flag, memory_order_acquire)) {
    now = time(0);
#ifdef AGAIN
    if (now - begin > 10) begin = now;
#endif
#ifdef PAUSE
    sleep(1);
#endif
  }
  return now >= begin ? argument : 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, wait, 0);
#ifndef NEVER
  atomic_store_explicit(&flag, 1, memory_order_release);
#endif
  pthread_join(thread, 0);
}
