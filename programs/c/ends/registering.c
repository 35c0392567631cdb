// Threads may register functions for the end in any order, and before the process ends or too late.
// expect verdict=violated kind=race cflags=-DLATE everywhere
// expect verdict=holds cflags=-DLATE cflags=-DBEFORE
// expect verdict=violated kind=assertion cflags=-DORDER cflags=-DWANTED=1
// expect verdict=violated kind=assertion cflags=-DORDER cflags=-DWANTED=0
// expect verdict=holds cflags=-DORDER cflags=-DFIRST cflags=-DWANTED=0
// expect verdict=violated kind=race cflags=-DLATE cflags=-DQUICK
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef QUICK
#define REGISTER at_quick_exit
#define EXIT quick_exit(0)
#else
#define REGISTER atexit
#define EXIT return 0
#endif

static int count;

static void add(void) { count++; }

#ifdef ORDER
static void look(void) { assert(count == WANTED); }
#endif

static void *run(void *argument) {
#ifdef BEFORE
  // This comes before `add` runs, if that runs.
  count++;
  REGISTER(add);
#else
  REGISTER(add);
#ifndef ORDER
  count++;
#endif
#endif
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
#ifdef ORDER
#ifdef FIRST
  pthread_join(thread, 0);
  REGISTER(look);
#else
  REGISTER(look);
  pthread_join(thread, 0);
#endif
#endif
  EXIT;
}
