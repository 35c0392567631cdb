// Looks at something under a lock, again and again.
// expect verdict=holds cflags=-DMUTEX
// expect verdict=violated kind=assertion cflags=-DMUTEX cflags=-DNEVER_TWICE
// expect verdict=violated kind=assertion cflags=-DMUTEX cflags=-DNEVER_SEES=1
// expect verdict=holds cflags=-DMUTEX cflags=-DNEVER_SEES=3
// expect verdict=holds cflags=-DREADER
// expect verdict=violated kind=assertion cflags=-DREADER cflags=-DNEVER_TWICE
// expect verdict=holds cflags=-DSPIN
// expect verdict=violated kind=race cflags=-DMUTEX cflags=-DOUTSIDE
// expect verdict=violated kind=livelock cflags=-DMUTEX cflags=-DNOBODY
#include "loops.h"
#if defined MUTEX
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define lock() pthread_mutex_lock(&m)
#define lock_to_read() lock()
#define unlock() pthread_mutex_unlock(&m)
#elif defined READER
static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
#define lock() pthread_rwlock_wrlock(&m)
#define lock_to_read() pthread_rwlock_rdlock(&m)
#define unlock() pthread_rwlock_unlock(&m)
#else
static pthread_spinlock_t m;
#define lock() pthread_spin_lock(&m)
#define lock_to_read() lock()
#define unlock() pthread_spin_unlock(&m)
#endif
static int ready;
static void *waiter(void *a) {
  int polls = 0, last = 0;
  for (;;) {
    lock_to_read();
    int now = ready;
    unlock();
    if (now == 2) break;
#if defined NEVER_TWICE
    if (polls < 2) polls++;
#elif defined NEVER_SEES
    last = now;
#endif
  }
#ifdef NEVER_SEES
  assert(last != NEVER_SEES);
#endif
  assert(polls < 2);
  (void)last;
  return a;
}
static void set(void) {
  lock();
  ready = 1;
  unlock();
#ifdef OUTSIDE
  ready = 2;
#elif !defined NOBODY
  lock();
  ready = 2;
  unlock();
#endif
}
int main(void) {
#ifdef SPIN
  pthread_spin_init(&m, 0);
#endif
  beside(waiter, set);
}
