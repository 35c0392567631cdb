// A ticket lock: everybody waits for a turn.
// expect verdict=holds executions=2 cflags=-DN=2
// expect verdict=holds executions=6 cflags=-DN=3
// expect verdict=holds executions=1 symmetry=on cflags=-DN=3
// expect verdict=violated kind=race cflags=-DN=2 cflags=-DBROKEN
// expect verdict=violated kind=assertion cflags=-DN=2 cflags=-DNEVER_WAITS
// expect verdict=violated kind=assertion cflags=-DN=3 cflags=-DNEVER_FAR
#include "loops.h"
atomic_int next, serving;
static int counter;
static void *worker(void *a) {
  int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed), now, far = 0;
  bool waited = false;
#ifdef BROKEN
  while ((now = relaxed(serving)) != ticket) {
#else
  while ((now = acquire(serving)) != ticket) {
#endif
#if defined NEVER_WAITS
    waited = true;
#elif defined NEVER_FAR
    if (ticket - now > far) far = ticket - now;
#endif
  }
  counter++;
  release(serving, ticket + 1);
  assert(!waited);
  assert(far < 2);
  return a;
}
int main(void) {
  together(N, worker);
  assert(counter == N);
}
