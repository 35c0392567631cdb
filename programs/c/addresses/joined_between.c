// Threads like each other, of which main joins one before it tells the other something: they are told apart, also if others
// were joined before them.
// expect verdict=violated kind=assertion
// expect verdict=violated kind=assertion cflags=-DOTHERS
// expect verdict=violated kind=assertion cflags=-DINTERLEAVED
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count, told, x;

static void *other(void *argument) {
  atomic_load(&x);
  return argument;
}

static void *look(void *argument) {
  int turn = atomic_fetch_add(&count, 1);
  assert(!(turn == 0 && atomic_load(&told)));
  return argument;
}

int main(void) {
  pthread_t others[2], threads[2];
#ifdef INTERLEAVED
  for (int i = 0; i < 2; i++) {
    pthread_create(&others[i], 0, other, 0);
    pthread_create(&threads[i], 0, look, 0);
  }
  pthread_join(others[0], 0);
#else
#ifdef OTHERS
  for (int i = 0; i < 2; i++) pthread_create(&others[i], 0, other, 0);
#endif
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, look, 0);
#ifdef OTHERS
  for (int i = 0; i < 2; i++) pthread_join(others[i], 0);
#endif
#endif
  pthread_join(threads[0], 0);
  atomic_store(&told, 1);
#ifdef INTERLEAVED
  pthread_join(others[1], 0);
#endif
  pthread_join(threads[1], 0);
}
