// Both think that they are the last.
// expect verdict=holds
// expect verdict=violated kind=double-free,race,use-after-free cflags=-DWRONG
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int users = 2;
static int *block;
static void *work(void *argument) {
#ifdef WRONG
  atomic_fetch_sub(&users, 1);
  if (atomic_load(&users) == 0) free(block);
#else
  if (atomic_fetch_sub(&users, 1) == 1) free(block);
#endif
  return argument;
}
int main(void) {
  pthread_t threads[2];
  block = malloc(4);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
