// The same with the address of a thread-local variable, and the comparison the other way round.
// expect verdict=violated kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic(uintptr_t) left;
static _Thread_local int mine;

static void *compare(void *argument) {
  uintptr_t me = (uintptr_t)&mine, before = atomic_exchange(&left, me);
  if (before) assert(!(before < me));
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, compare, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
