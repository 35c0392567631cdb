// Looks at something whenever the lock is free.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DALWAYS_FREE
// expect verdict=violated kind=assertion cflags=-DNEVER_LOOKS_TWICE
// expect verdict=violated kind=race cflags=-DWITHOUT_LOCK
#include "loops.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static void *waiter(void *a) {
  bool busy = false;
  int looks = 0;
  for (bool done = false; !done;) {
    if (pthread_mutex_trylock(&m) == 0) {
      done = ready;
      pthread_mutex_unlock(&m);
#ifdef NEVER_LOOKS_TWICE
      if (looks < 2) looks++;
#endif
    } else {
#ifdef WITHOUT_LOCK
      done = ready;
#endif
#ifdef ALWAYS_FREE
      busy = true;
#endif
    }
  }
  assert(!busy);
  assert(looks < 2);
  return a;
}
static void set(void) {
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
}
int main(void) { beside(waiter, set); }
