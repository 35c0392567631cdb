// Freeing a block is a write to all of it.
// expect verdict=violated cflags=-DREAD
// expect verdict=violated cflags=-DWRITE
// expect verdict=violated cflags=-DATOMIC
// expect verdict=violated cflags=-DREALLOC
// expect verdict=violated cflags=-DTWICE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int *block;
static void *user(void *a) {
#if defined READ
  return block[40] ? 0 : a;
#elif defined WRITE
  block[40] = 1;
#elif defined ATOMIC
  atomic_fetch_add((atomic_int *)&block[40], 1);
#elif defined REALLOC
  block[0] = 1;
#elif defined TWICE
  free(block);
#endif
  return a;
}
int main(void) {
  pthread_t t;
  block = calloc(100, sizeof *block);
  pthread_create(&t, 0, user, 0);
#ifdef REALLOC
  int *larger = realloc(block, 1000);
  pthread_join(t, 0);
  free(larger);
#else
  free(block);
  pthread_join(t, 0);
#endif
  return 0;
}
