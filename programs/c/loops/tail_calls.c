// Functions that call each other last. Programs are compiled so that these stay calls, so the stack grows in every round.
// expect verdict=violated kind=assertion opt=2,3
// expect verdict=violated kind=assertion cflags=-DTWO_ROUNDS opt=2,3
// expect verdict=violated kind=assertion cflags=-DBY_POINTER opt=2,3
// expect verdict=holds,inconclusive cflags=-DFIXED opt=2,3
#include "loops.h"
atomic_int flag;
static int check(int waited) {
#if defined FIXED
  assert(waited <= 2);
#elif defined TWO_ROUNDS
  assert(waited != 2);
#else
  assert(!waited);
#endif
  return waited;
}
static int look(int waited);
static int (*volatile next)(int) = look;
__attribute__((noinline)) static int wait_more(int waited) {
  if (waited < 2) waited++;
#ifdef BY_POINTER
  return next(waited);
#else
  return look(waited);
#endif
}
__attribute__((noinline)) static int look(int waited) {
  if (acquire(flag)) return check(waited);
  return wait_more(waited);
}
static void *waiter(void *a) {
  look(0);
  return a;
}
static void set(void) { release(flag, 1); }
int main(void) {
  (void)next;
  beside(waiter, set);
}
