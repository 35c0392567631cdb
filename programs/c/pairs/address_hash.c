// A table by the hash of addresses of like threads.
// expect verdict=holds with=gcc opt=0
// expect verdict=holds cflags=-DWRONG says=address with=gcc opt=0
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
static atomic_int slots[64];
static void *work(void *argument) {
  int *mine = malloc(64);
#ifdef WRONG
  unsigned hash = (unsigned)((uintptr_t)mine >> 6) * 2654435761u >> 26;
#else
  unsigned hash = 3;
#endif
  atomic_fetch_add(&slots[hash], 1);
  free(mine);
  return argument;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
