// The loop calls functions to look, and to note that it waits.
// expect verdict=violated kind=assertion cflags=-DINLINE
// expect verdict=violated kind=assertion cflags=-DNOINLINE
// expect verdict=violated kind=assertion cflags=-DPOINTER
// expect verdict=violated kind=assertion cflags=-DPOINTER_CHANGES
// expect verdict=violated kind=assertion cflags=-DRECURSION opt=2,3
// expect verdict=holds cflags=-DINLINE cflags=-DFIXED
// expect verdict=holds executions=1 cflags=-DPURE
// expect verdict=holds executions=1 cflags=-DPURE_POINTER
#include "loops.h"
atomic_int flag;
static int data;
static inline int look_inline(void) { return acquire(flag); }
__attribute__((noinline)) int look_apart(void) { return acquire(flag); }
__attribute__((noinline)) int look_and_note(int *waited) {
  int now = acquire(flag);
  if (!now) *waited = 1;
  return now;
}
__attribute__((noinline)) int never(void) { return 0; }
static int (*volatile chosen)(void) = look_apart;
#ifdef RECURSION
__attribute__((noinline)) static int wait_for(int rounds) {
  if (acquire(flag)) return rounds;
  return rounds < 2 ? wait_for(rounds + 1) : wait_for(rounds);
}
#endif
static void *waiter(void *a) {
  int waited = 0;
#if defined INLINE
  while (!look_inline()) waited = 1;
#elif defined NOINLINE
  while (!look_and_note(&waited)) {
  }
#elif defined POINTER
  int (*look)(void) = chosen;
  while (!look()) waited = 1;
#elif defined POINTER_CHANGES
  // The first round looks and the next ones do something else as well.
  int (*also)(void) = 0;
  while (!look_apart()) {
    waited = also == never;
    also = never;
  }
#elif defined RECURSION
  waited = wait_for(0);
#elif defined PURE
  while (!look_apart()) {
  }
#elif defined PURE_POINTER
  int (*look)(void) = chosen;
  while (!look()) {
  }
#endif
#ifdef FIXED
  assert(waited <= 1);
#else
  assert(!waited);
#endif
  assert(data == 1);
  return a;
}
static void set(void) {
  data = 1;
  release(flag, 1);
}
int main(void) { beside(waiter, set); }
