/* What the programs of this directory have in common: short names for accesses, and two threads side by side. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define acquire(x) atomic_load_explicit(&(x), memory_order_acquire)
#define release(x, v) atomic_store_explicit(&(x), v, memory_order_release)
#define relaxed(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define put_relaxed(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)

/* Runs one function beside another, which is run by the first thread. */
static inline void beside(void *(*other)(void *), void (*own)(void)) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  own();
  pthread_join(t, 0);
}

/* Runs so many threads of one function. */
static inline void together(int count, void *(*function)(void *)) {
  pthread_t t[8];
  for (int i = 0; i < count; i++) pthread_create(&t[i], 0, function, 0);
  for (int i = 0; i < count; i++) pthread_join(t[i], 0);
}
