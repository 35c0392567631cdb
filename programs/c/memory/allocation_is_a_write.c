// Whoever gets a block without being ordered after its allocation races with the allocation.
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=malloc(16) cflags=-DORDER=memory_order_relaxed
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=calloc(2,8) cflags=-DORDER=memory_order_relaxed
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=realloc(0,16) cflags=-DORDER=memory_order_relaxed
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=aligned_alloc(64,64) cflags=-DORDER=memory_order_relaxed
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=malloc(16) cflags=-DORDER=memory_order_relaxed cflags=-DATOMIC
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=calloc(2,8) cflags=-DORDER=memory_order_relaxed cflags=-DREAD
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=calloc(2,8) cflags=-DORDER=memory_order_relaxed cflags=-DLAST
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=malloc(16) cflags=-DORDER=memory_order_relaxed cflags=-DFREE
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=malloc(1<<20) cflags=-DORDER=memory_order_relaxed cflags=-DFREE
// expect verdict=violated kind=race cflags=-DALLOC=strdup("abcdefghijklmno") cflags=-DORDER=memory_order_relaxed
// expect verdict=holds unreduced=2 cflags=-DALLOC=malloc(16)
// expect verdict=holds unreduced=2 cflags=-DALLOC=calloc(2,8) cflags=-DREAD
// expect verdict=holds unreduced=2 cflags=-DALLOC=malloc(16) cflags=-DFREE
// expect verdict=holds unreduced=2 cflags=-DALLOC=malloc(1<<20) cflags=-DFREE
// expect verdict=holds cflags=-DALLOC=malloc(16) cflags=-DATOMIC
#include "publish.h"
static void *maker(void *a) {
  publish(ALLOC);
  return a;
}
static void *user(void *a) {
  int *p = found();
  if (!p) return a;
#if defined FREE
  free(p);
#elif defined ATOMIC
  atomic_store_explicit((atomic_int *)p, 1, memory_order_relaxed);
#elif defined READ
  return *p ? 0 : a;
#elif defined LAST
  ((char *)p)[15] = 1;
#else
  *p = 18;
#endif
  return a;
}
int main(void) {
  both(maker, user);
  return 0;
}
