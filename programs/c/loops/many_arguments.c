// Some arguments of a call in the loop are passed on the stack.
// expect verdict=violated kind=assertion cflags=-DNINTH
// expect verdict=violated kind=assertion cflags=-DSEVENTH
// expect verdict=violated kind=assertion cflags=-DADDRESS
// expect verdict=holds cflags=-DNINTH cflags=-DFIXED
// expect verdict=holds executions=1 cflags=-DPURE
#include "loops.h"
atomic_int flag;
__attribute__((noinline)) static int look(int a, int b, int c, int d, int e, int f, int g, int *h, int i) {
  if (h) *h = 1;
  return acquire(flag) ? a + b + c + d + e + f + 10 * g + 100 * i + 1 : 0;
}
static void *waiter(void *a) {
  int waited = 0, result;
#if defined NINTH
  while (!(result = look(0, 0, 0, 0, 0, 0, 0, 0, waited))) waited = 1;
  waited = result > 100;
#elif defined SEVENTH
  while (!(result = look(0, 0, 0, 0, 0, 0, waited, 0, 0))) waited = 1;
  waited = result > 10;
#elif defined ADDRESS
  int seen = 0;
  while (!(result = look(0, 0, 0, 0, 0, 0, 0, seen ? &waited : 0, 0))) seen = 1;
#else
  while (!(result = look(0, 0, 0, 0, 0, 0, 0, 0, 0))) {
  }
#endif
  (void)result;
#ifdef FIXED
  assert(waited <= 1);
#else
  assert(!waited);
#endif
  return a;
}
static void set(void) { release(flag, 1); }
int main(void) { beside(waiter, set); }
