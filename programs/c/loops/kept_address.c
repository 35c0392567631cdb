// A function keeps the address of a variable, which only another function reads.
// expect verdict=violated kind=assertion
// expect verdict=holds cflags=-DFIXED
#include "loops.h"
atomic_int state;
static const int *kept;
__attribute__((noinline)) static void keep(const int *address) { kept = address; }
__attribute__((noinline)) static int look(void) {
  int now = acquire(state);
#ifdef FIXED
  if (now == 2) assert(*kept <= 1);
#else
  if (now == 2) assert(*kept != 1);
#endif
  return now;
}
static void *waiter(void *a) {
  int last = 0;
  keep(&last);
  for (int now = 0; now != 2; now = look()) last = now;
  kept = 0;
  return a;
}
static void set(void) {
  release(state, 1);
  release(state, 2);
}
int main(void) { beside(waiter, set); }
