// A block of megabytes costs no more than what is used of it.
// expect verdict=holds unreduced=24
// expect verdict=violated kind=use-after-free cflags=-DLATE
// expect verdict=violated kind=out-of-bounds cflags=-DBEHIND
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static void *add(void *a) {
  char *volatile kept = calloc(8, 1 << 20), *block = kept;
  block[5 << 20] = 1;
  int order = atomic_fetch_add(&x, 1);
  assert(block[5 << 20] == 1 && block[4 << 20] == 0);
  (void)order;
#ifdef BEHIND
  block[8 << 20] = 1;
  __asm__ volatile("" : : "r"(block) : "memory");
#endif
  free(block);
#ifdef LATE
  return block[5 << 20] ? a : 0;
#endif
  return a;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
