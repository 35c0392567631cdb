// Somebody polls under a lock. An observer that only tries the lock finds it taken, and free, and taken again: that takes
// two polls.
// expect verdict=violated kind=assertion cflags=-DTAKEN
// expect verdict=violated kind=assertion cflags=-DTAKEN_TWICE
// expect verdict=violated kind=assertion cflags=-DOWN cflags=-DTAKEN_TWICE
// expect verdict=holds cflags=-DTAKEN_AFTER
// expect verdict=holds cflags=-DOWN cflags=-DTAKEN_AFTER
#include "loops.h"
atomic_int flag;
#ifdef OWN
atomic_int m;
static bool try(void) {
  int free = 0;
  return atomic_compare_exchange_strong(&m, &free, 1);
}
static void lock(void) {
  while (!try()) {
  }
}
#define unlock() atomic_store(&m, 0)
#else
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define try() (pthread_mutex_trylock(&m) == 0)
#define lock() pthread_mutex_lock(&m)
#define unlock() pthread_mutex_unlock(&m)
#endif
static bool is_taken(void) {
  if (!try()) return true;
  unlock();
  return false;
}
static void *poller(void *a) {
  for (bool done = false; !done;) {
    lock();
    done = relaxed(flag);
    unlock();
  }
  return a;
}
static void observe(void) {
#if defined TAKEN
  assert(!is_taken());
#elif defined TAKEN_TWICE
  bool first = is_taken(), second = is_taken(), third = is_taken();
  assert(!(first && !second && third));
#endif
  put_relaxed(flag, 1);
}
int main(void) {
  beside(poller, observe);
#ifdef TAKEN_AFTER
  assert(!is_taken());
#endif
}
