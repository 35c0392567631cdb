// Nothing is kept from round to round: one execution is enough. (`FOR` looks for the first time before the loop.)
// expect verdict=holds executions=1 cflags=-DWHILE
// expect verdict=holds executions=1 cflags=-DDO_WHILE
// expect verdict=holds cflags=-DFOR
// expect verdict=holds executions=1 cflags=-DGOTO
// expect verdict=violated kind=race cflags=-DWHILE cflags=-DBUG
// expect verdict=violated kind=race cflags=-DGOTO cflags=-DBUG
#include "loops.h"
atomic_int flag;
static int data;
#ifdef BUG
#define look() relaxed(flag)
#else
#define look() acquire(flag)
#endif
static void *waiter(void *a) {
#if defined WHILE
  while (!look()) {
  }
#elif defined DO_WHILE
  int seen;
  do seen = look();
  while (!seen);
#elif defined FOR
  for (int seen = look(); !seen; seen = look()) {
  }
#else
again:
  if (!look()) goto again;
#endif
  assert(data == 3);
  return a;
}
static void set(void) {
  data = 3;
  release(flag, 1);
}
int main(void) { beside(waiter, set); }
