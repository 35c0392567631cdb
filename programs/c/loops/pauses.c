// What a loop does to pass the time changes nothing.
// expect verdict=holds executions=1 cflags=-DYIELD
// expect verdict=holds executions=1 cflags=-DPAUSE
// expect verdict=holds executions=1 cflags=-DSLEEP
// expect verdict=violated kind=assertion cflags=-DYIELD cflags=-DNEVER_WAITS
// expect verdict=violated kind=assertion cflags=-DPAUSE cflags=-DNEVER_WAITS
// expect verdict=violated kind=assertion cflags=-DSLEEP cflags=-DNEVER_WAITS
// expect verdict=violated kind=assertion cflags=-DSOMETIMES cflags=-DNEVER_WAITS
#include <sched.h>
#include <unistd.h>
#include "loops.h"
atomic_int flag;
static void *waiter(void *a) {
  int waited = 0;
  while (!acquire(flag)) {
#if defined YIELD
    sched_yield();
#elif defined PAUSE
    __builtin_ia32_pause();
#elif defined SLEEP
    usleep(1);
#else
    if (waited) sched_yield();
#endif
#ifdef NEVER_WAITS
    waited = 1;
#endif
  }
  assert(!waited);
  return a;
}
static void set(void) { release(flag, 1); }
int main(void) { beside(waiter, set); }
