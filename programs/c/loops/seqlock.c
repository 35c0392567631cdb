// A reader that tries again while somebody writes.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DNO_RETRY
// expect verdict=violated kind=assertion cflags=-DTWO_RETRIES
// expect verdict=violated kind=assertion cflags=-DODD_IS_FINE
// expect verdict=violated kind=assertion cflags=-DLAST_WAS_ODD
#include "loops.h"
atomic_int sequence, left, right;
static void *reader(void *a) {
  int retries = 0, odd = 0;
  for (;;) {
    int before = acquire(sequence);
#ifndef ODD_IS_FINE
    if (before & 1) {
      if (retries < 2) retries++;
      odd = 1;
      continue;
    }
#endif
    int x = relaxed(left), y = relaxed(right);
    atomic_thread_fence(memory_order_acquire);
    if (relaxed(sequence) == before) {
      assert(x == y);
      break;
    }
    if (retries < 2) retries++;
    odd = 0;
  }
#if defined NO_RETRY
  assert(retries == 0);
#elif defined TWO_RETRIES
  assert(retries < 2);
#elif defined LAST_WAS_ODD
  assert(!odd);
#else
  (void)odd;
#endif
  return a;
}
static void update(void) {
  put_relaxed(sequence, 1);
  atomic_thread_fence(memory_order_release);
  put_relaxed(left, 1);
  put_relaxed(right, 1);
  release(sequence, 2);
}
int main(void) { beside(reader, update); }
