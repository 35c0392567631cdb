// Whoever ends the process first runs the handlers, and the others go on meanwhile: each may be the first.
// expect verdict=violated kind=assertion cflags=-DBETWEEN everywhere
// expect verdict=holds cflags=-DBETWEEN cflags=-DRIGHT
// expect verdict=violated kind=race cflags=-DRACE
// expect verdict=violated kind=race cflags=-DRACE cflags=-DCALL
// expect verdict=violated kind=race cflags=-DRACE cflags=-DQUICK
// expect verdict=violated kind=assertion cflags=-DWHO
// expect verdict=violated kind=assertion cflags=-DWHO cflags=-DOTHER
// expect verdict=violated kind=race cflags=-DWORKERS
// expect verdict=violated kind=race cflags=-DWORKERS cflags=-DSECOND
// expect verdict=holds cflags=-DWORKERS cflags=-DRIGHT
// expect verdict=holds cflags=-DONCE
// expect verdict=holds cflags=-DONCE flags=--stuck-threads=error
// expect verdict=holds cflags=-DAGAIN
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_t thread, other, mine;
static atomic_int state, calls;
static int plain;

static void at_end(void) {
#if defined BETWEEN && !defined RIGHT
  assert(state != 1);
#elif defined BETWEEN
  assert(state >= 0 && state <= 2);
#elif defined RACE
  plain++;
#elif defined WHO && defined OTHER
  assert(!pthread_equal(pthread_self(), mine));
#elif defined WHO
  assert(pthread_equal(pthread_self(), mine));
#elif defined WORKERS && !defined RIGHT
  plain++;
#elif defined ONCE
  assert(atomic_fetch_add(&calls, 1) == 0);
#elif defined AGAIN
  if (atomic_fetch_add(&calls, 1) == 0) exit(2);
  assert(0 && "not called twice");
#endif
}

static void *end(void *argument) {
#if defined WORKERS && !defined SECOND
  plain = 1;
#endif
#ifdef QUICK
  quick_exit(1);
#else
  exit(1);
#endif
  return argument;
}

static void *end_too(void *argument) {
#if defined WORKERS && defined SECOND
  plain = 1;
#endif
  exit(2);
  return argument;
}

int main(void) {
  mine = pthread_self();
#ifdef QUICK
  at_quick_exit(at_end);
#else
  atexit(at_end);
#endif
  pthread_create(&thread, 0, end, 0);
#if defined WORKERS || defined ONCE
  pthread_create(&other, 0, end_too, 0);
#endif
#ifdef BETWEEN
  state = 1;
  state = 2;
#elif defined RACE
  plain = 1;
#endif
#ifdef WORKERS
  pthread_join(thread, 0);
  pthread_join(other, 0);
#endif
#ifdef CALL
  exit(0);
#elif defined QUICK
  quick_exit(0);
#endif
  return 0;
}
