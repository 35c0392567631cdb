// Waits for a flag, and then for the thread that has set it.
// expect verdict=holds executions=1
// expect verdict=violated kind=livelock cflags=-DNOBODY
// expect verdict=violated kind=assertion cflags=-DNEVER_WAITS
// expect verdict=holds executions=1 cflags=-DJOIN_FIRST
// expect verdict=violated kind=livelock cflags=-DSET_AFTER_JOIN
#include "loops.h"
atomic_int flag, other;
static void *setter(void *a) {
#ifdef SET_AFTER_JOIN
  while (!acquire(other)) {
  }
#endif
#ifndef NOBODY
  release(flag, 1);
#endif
  return a;
}
int main(void) {
  pthread_t t;
  bool waited = false;
  pthread_create(&t, 0, setter, 0);
#ifdef JOIN_FIRST
  pthread_join(t, 0);
#endif
  while (!acquire(flag)) {
#ifdef NEVER_WAITS
    waited = true;
#endif
  }
#ifndef JOIN_FIRST
  pthread_join(t, 0);
#endif
  release(other, 1);
  assert(!waited);
}
