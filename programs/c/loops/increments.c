// Two threads increment by retrying: the retries of one are the successes of the other.
// expect verdict=holds executions=2 cflags=-DNO_RELOAD
// expect verdict=holds executions=2 cflags=-DRELOAD
// expect verdict=holds executions=1 symmetry=on cflags=-DRELOAD
// expect verdict=violated kind=assertion cflags=-DRELOAD cflags=-DNEVER_FAILS
// expect verdict=violated kind=assertion cflags=-DNO_RELOAD cflags=-DNEVER_FAILS
#include "loops.h"
atomic_int x;
static void *worker(void *a) {
  bool failed = false;
#ifdef NO_RELOAD
  int r = relaxed(x);
  while (!atomic_compare_exchange_strong(&x, &r, r + 1)) {
#else
  int r;
  while (r = relaxed(x), !atomic_compare_exchange_strong(&x, &r, r + 1)) {
#endif
#ifdef NEVER_FAILS
    failed = true;
#endif
  }
  assert(!failed);
  return a;
}
int main(void) {
  together(2, worker);
  assert(x == 2);
}
