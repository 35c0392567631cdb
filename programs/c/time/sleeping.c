// Sleeping lets the clock go on by as much, at least.
// expect verdict=holds
// expect verdict=holds executions=1 flags=--clock=still
// expect verdict=violated kind=assertion cflags=-DEXACT
// expect verdict=holds executions=1 cflags=-DEXACT flags=--clock=still
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

static long last;
static void check(long slept) {
  long time = now();
#ifdef EXACT
  assert(time - last == slept);
#else
  assert(time - last >= slept);
#endif
  last = time;
}

int main(void) {
  struct timespec time = {2, 5}, wrong = {0, -1};
  struct timeval short_time = {0, 10};
  last = now();
  sleep(3);
  check(3000000000);
  usleep(7);
  check(7000);
  assert(nanosleep(&time, 0) == 0);
  check(2000000005);
  assert(nanosleep(&wrong, 0) == -1 && errno == EINVAL);
  assert(clock_nanosleep(CLOCK_REALTIME, 0, &time, 0) == 0);
  check(2000000005);
  poll(0, 0, 4);
  check(4000000);
  select(0, 0, 0, 0, &short_time);
  check(10000);
  thrd_sleep(&time, 0);
  check(2000000005);
}
