// Two threads poll under a lock, side by side.
// WHERE says what they keep what they saw in: a local variable, one's own global one, one of the thread, one on the heap.
// expect verdict=holds cflags=-DWHERE=0
// expect verdict=holds cflags=-DWHERE=1
// expect verdict=holds cflags=-DWHERE=2
// expect verdict=holds cflags=-DWHERE=3
// expect verdict=holds cflags=-DWHERE=0 cflags=-DSHARED
// expect verdict=holds cflags=-DWHERE=1 cflags=-DSHARED
// expect verdict=violated kind=assertion cflags=-DWHERE=1 cflags=-DNEVER_TWICE
// expect verdict=violated kind=race cflags=-DWHERE=1 cflags=-DLOOK
#include "loops.h"
#ifdef SHARED
pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
#define lock() pthread_rwlock_rdlock(&m)
#define unlock() pthread_rwlock_unlock(&m)
#define lock_alone() pthread_rwlock_wrlock(&m)
#else
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define lock() pthread_mutex_lock(&m)
#define unlock() pthread_mutex_unlock(&m)
#define lock_alone() pthread_mutex_lock(&m)
#endif
static int ready, own[2], rounds[2];
static _Thread_local int mine;
static void *poll(void *a) {
  int number = (int)(long)a, local = 0, *seen = &local;
  (void)number;
#if WHERE == 1
  seen = &own[number];
#elif WHERE == 2
  seen = &mine;
#elif WHERE == 3
  seen = calloc(1, sizeof *seen);
#endif
  do {
    lock();
    *seen = ready;
    unlock();
#ifdef NEVER_TWICE
    rounds[number]++;
    assert(rounds[number] < 2);
#endif
  } while (!*seen);
#if WHERE == 3
  free(seen);
#endif
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, poll, (void *)i);
  lock_alone();
  ready = 1;
  unlock();
#ifdef LOOK
  assert(own[0] < 2);
#endif
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
