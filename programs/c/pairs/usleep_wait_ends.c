// Polling until a deadline ends with and without success.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=assertion cflags=-DWRONG with=gcc opt=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static atomic_int ready;
static void *work(void *argument) {
  atomic_store(&ready, 1);
  return argument;
}
int main(void) {
  pthread_t thread;
  struct timespec now, begin;
  int timeout = 0;
  pthread_create(&thread, 0, work, 0);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  while (!atomic_load(&ready)) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - begin.tv_sec > 2) {
      timeout = 1;
      break;
    }
    usleep(1000);
  }
#ifdef WRONG
  assert(!timeout);
#else
  assert(timeout || atomic_load(&ready));
#endif
  pthread_join(thread, 0);
}
