// expect verdict=inconclusive warns=inline_assembly.c:13
// expect verdict=violated kind=assertion cflags=-DFENCE warns=mfence
// expect verdict=holds cflags=-DNOTHING
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int lock;
static atomic_int x, y, r, s;
static void step(void) {
#ifdef FENCE
  __asm__ volatile("mfence" ::: "memory");
#elif !defined NOTHING
  __asm__ volatile("lock; incl %0" : "+m"(lock));
#else
  __asm__ volatile("pause" ::: "memory");
#endif
}
static void *one(void *a) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  step();
  r = atomic_load_explicit(&y, memory_order_relaxed);
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, one, 0);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  step();
  s = atomic_load_explicit(&x, memory_order_relaxed);
  pthread_join(thread, 0);
#ifdef FENCE
  assert(r || s);
#endif
}
