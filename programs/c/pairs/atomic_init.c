// An atomic variable is given its first value by atomic_init, which is no atomic operation. Wrong: another thread reads it meanwhile.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static _Atomic long *place;
static void *reader(void *unused) {
  (void)unused;
  assert(atomic_load(&x) != 7);
  return 0;
}
int main(void) {
  pthread_t thread;
  _Atomic long local;
  place = &local;
  atomic_init(place, 3);
  assert(atomic_fetch_add(place, 1) == 3 && atomic_load(&local) == 4);
#ifndef WRONG
  atomic_init(&x, 5);
#endif
  pthread_create(&thread, 0, reader, 0);
#ifdef WRONG
  atomic_init(&x, 5);
#endif
  pthread_join(thread, 0);
  return 0;
}
