// expect verdict=holds executions=1
// expect verdict=violated kind=race cflags=-DRACE
// Atomic variables are set to zero together: the next load reads that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
struct { atomic_int a, b; atomic_char c[8]; } all;

static void *thread(void *argument) {
  atomic_store_explicit(&all.b, 2, memory_order_relaxed);
  return argument;
}

int main(void) {
  pthread_t id;
  atomic_store(&all.a, 1);
  pthread_create(&id, 0, thread, 0);
#ifndef RACE
  pthread_join(id, 0);
#endif
  memset(&all, 0, sizeof all);
#ifdef RACE
  pthread_join(id, 0);
#else
  assert(all.a == 0 && all.b == 0 && all.c[1] == 0);
#endif
}
