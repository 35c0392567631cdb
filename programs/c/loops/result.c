// The last value that a waiting loop has seen is what the thread leaves for who joins it; nothing else depends on it.
// expect verdict=violated kind=assertion
// expect verdict=violated kind=assertion cflags=-DPEELED
// expect verdict=violated kind=assertion cflags=-DEXIT
// expect verdict=violated kind=assertion cflags=-DPEELED cflags=-DEXIT
// expect verdict=violated kind=assertion cflags=-DC11
// expect verdict=violated kind=assertion cflags=-DC11 cflags=-DPEELED
// expect verdict=violated kind=assertion cflags=-DC11 cflags=-DEXIT
// expect verdict=violated kind=assertion cflags=-DPASSED_ON
// expect verdict=violated kind=assertion cflags=-DKEY
// expect verdict=violated kind=assertion cflags=-DKEY cflags=-DPEELED
// expect verdict=violated kind=assertion cflags=-DSIZE
// expect verdict=violated kind=assertion cflags=-DSIZE cflags=-DPEELED
// expect verdict=holds cflags=-DALWAYS_THE_SAME
// expect verdict=holds cflags=-DPEELED cflags=-DALWAYS_THE_SAME
#include "loops.h"
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#ifdef C11
typedef int result;
#define thread thrd_t
#define begin(t, f) thrd_create(t, f, 0)
#define end(t, r) thrd_join(t, r)
#define leave thrd_exit
#else
typedef void *result;
#define thread pthread_t
#define begin(t, f) pthread_create(t, 0, f, 0)
#define end(t, r) pthread_join(t, r)
#define leave pthread_exit
#endif
static atomic_int x, y, z;
static pthread_key_t key;
static intptr_t last_seen(void) {
  intptr_t last = 0;
#ifdef PEELED
  if (atomic_load(&x)) return 0;
  do last = atomic_load(&y);
  while (!atomic_load(&x));
#else
  while (!atomic_load(&x)) last = atomic_load(&y);
#endif
  return last;
}
#ifdef PASSED_ON
__attribute__((noinline)) static result pass_on(void) {
  result last = (result)last_seen();
  __asm__ volatile("" ::: "memory");
  return last;
}
static result waiter(void *a) { return pass_on(); }
#else
static result waiter(void *a) {
  intptr_t last = last_seen();
#if defined ALWAYS_THE_SAME
  last = last == 5;
#elif defined EXIT
  leave((result)last);
#elif defined KEY
  // Kept for the thread, where no variable is.
  pthread_setspecific(key, (void *)last);
  last = 0;
  atomic_fetch_add(&z, 1);
  return pthread_getspecific(key);
#elif defined SIZE
  // Only the size of the block tells.
  return (result)malloc(last == 1 ? 3 : 5);
#endif
  return (result)last;
}
#endif
int main(void) {
  thread t;
  result last = 0;
  pthread_key_create(&key, 0);
  begin(&t, waiter);
  atomic_store(&y, 1);
  atomic_store(&y, 0);
  atomic_store(&x, 1);
  end(t, &last);
#if defined SIZE
  assert(malloc_usable_size(last) != 3);
  free(last);
#else
  assert(last != (result)1);
#endif
}
