// Two threads wait for each other, or for the same.
// expect verdict=holds executions=1 cflags=-DSAME
// expect verdict=holds executions=1 cflags=-DHANDSHAKE
// expect verdict=violated kind=assertion cflags=-DSAME cflags=-DNEVER_BOTH
// expect verdict=violated kind=assertion cflags=-DHANDSHAKE cflags=-DNEVER_BOTH
// expect verdict=violated kind=livelock cflags=-DDEADLY
#include "loops.h"
atomic_int flag[2], both;
static void wait_for(int which) {
  bool waited = false;
  while (!acquire(flag[which])) {
#ifdef NEVER_BOTH
    waited = true;
#endif
  }
#ifdef NEVER_BOTH
  if (waited) atomic_fetch_add(&both, 1);
#endif
  (void)waited;
}
static void *first(void *a) {
#if defined HANDSHAKE
  release(flag[0], 1);
  wait_for(1);
#elif defined DEADLY
  wait_for(1);
  release(flag[0], 1);
#else
  wait_for(0);
#endif
  return a;
}
static void *second(void *a) {
#if defined HANDSHAKE || defined DEADLY
  wait_for(0);
  release(flag[1], 1);
#else
  wait_for(0);
#endif
  return a;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
#ifdef SAME
  release(flag[0], 1);
#endif
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  assert(both < 2);
}
