// Every round adds and takes away again. Others can see what is between.
// expect verdict=holds
// expect verdict=holds cflags=-DTAKE_FIRST
// expect verdict=violated kind=assertion cflags=-DOBSERVED
// expect verdict=violated kind=assertion cflags=-DOBSERVED_TWICE
// expect verdict=violated kind=assertion cflags=-DWAITED
// expect verdict=holds cflags=-DOBSERVED cflags=-DBEHIND
// expect verdict=violated kind=assertion cflags=-DINTERRUPTED
#include "loops.h"
atomic_int flag, users;
static void *waiter(void *a) {
  bool waited = false;
  for (;;) {
#ifdef TAKE_FIRST
    atomic_fetch_sub(&users, 1);
    int now = acquire(flag);
    atomic_fetch_add(&users, 1);
#else
    int before = atomic_fetch_add(&users, 1);
    int now = acquire(flag);
    int after = atomic_fetch_sub(&users, 1);
#ifdef INTERRUPTED
    assert(after == before + 1);
#endif
    (void)before, (void)after;
#endif
    if (now) break;
#ifdef WAITED
    waited = true;
#endif
  }
  assert(!waited);
  return a;
}
static void set(void) {
#if defined OBSERVED && !defined BEHIND
  assert(users == 0);
#elif defined OBSERVED_TWICE
  // Between the two the other one has taken away and added again.
  int first = users, between = users, second = users;
  assert(!(first == 1 && between == 0 && second == 1));
#elif defined INTERRUPTED
  atomic_fetch_add(&users, 5);
#endif
  release(flag, 1);
}
int main(void) {
  beside(waiter, set);
#ifdef BEHIND
  assert(users == 0);
#endif
}
