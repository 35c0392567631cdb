// expect verdict=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* A plain write to a part of an atomic variable leaves the rest as the last write in coherence order has left it, which
   need not be the one that ran last. */
static union { _Atomic uint64_t whole; uint32_t half[2]; } shared;

static void *writer(void *a) {
  atomic_store_explicit(&shared.whole, 0x0000000100000001 * (uintptr_t)a, memory_order_relaxed);
  return a;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, (void *)1);
  pthread_create(&b, 0, writer, (void *)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  uint64_t last = atomic_load(&shared.whole);
  shared.half[0] = 7;
  assert(atomic_load(&shared.whole) == ((last & 0xFFFFFFFF00000000) | 7));
}
