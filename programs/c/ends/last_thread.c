// When `main` has ended its thread, the last thread ends the process, as if it had called exit.
// expect verdict=violated kind=assertion cflags=-DALONE everywhere
// expect verdict=violated kind=assertion cflags=-DC11
// expect verdict=violated kind=assertion cflags=-DDESTRUCTOR
// expect verdict=violated kind=assertion
// expect verdict=holds cflags=-DRIGHT
// expect verdict=holds cflags=-DRIGHT cflags=-DNESTED
// expect verdict=violated kind=assertion cflags=-DNESTED
// expect verdict=holds cflags=-DJOIN_MAIN
// expect verdict=holds cflags=-DJOIN_MAIN cflags=-DTRY
// expect verdict=violated kind=assertion cflags=-DJOIN_MAIN cflags=-DWRONG
// expect verdict=holds cflags=-DRIGHT cflags=-DEXIT silent=wait flags=--stuck-threads=error
// expect verdict=violated kind=deadlock cflags=-DSTUCK
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

static int steps;
static pthread_t first, one, two;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void at_end(void) {
#if defined ALONE || defined C11
  assert(0 && "called");
#elif defined RIGHT && defined EXIT
  // Others may still be at work.
#elif defined RIGHT
  assert(steps == 3);
#elif defined JOIN_MAIN && !defined WRONG
  assert(steps == 2);
#elif !defined DESTRUCTOR
  assert(steps != 3 && steps != 2);
#endif
}

#ifdef DESTRUCTOR
__attribute__((destructor)) static void at_the_very_end(void) { assert(0 && "called"); }
#endif

static void *step(void *argument) {
  pthread_mutex_lock(&lock);
  steps++;
#ifndef STUCK
  pthread_mutex_unlock(&lock);
#endif
  return argument;
}

static void *work(void *argument) {
#ifdef JOIN_MAIN
#ifdef TRY
  while (pthread_tryjoin_np(first, 0)) thrd_yield();
#else
  pthread_join(first, 0);
#endif
  steps = 2;
#else
  step(0);
#ifdef NESTED
  pthread_t more;
  pthread_create(&more, 0, step, 0);
  pthread_detach(more);
#else
  step(0);
#endif
#endif
#ifdef EXIT
  exit(3);
#endif
  return argument;
}

int main(void) {
  first = pthread_self();
  atexit(at_end);
#if defined ALONE || defined C11
  (void)step, (void)work;
#else
  pthread_create(&one, 0, work, 0);
  pthread_detach(one);
#ifdef JOIN_MAIN
  steps = 1;
#else
  pthread_create(&two, 0, step, 0);
#endif
#endif
#ifdef C11
  thrd_exit(0);
#endif
  pthread_exit(0);
}
