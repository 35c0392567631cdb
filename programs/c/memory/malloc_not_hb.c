// A block is published without order, and written by whoever finds it.
// expect verdict=violated kind=race mentions=allocating
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=calloc(1,4)
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=realloc(0,4)
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=aligned_alloc(64,64)
// expect verdict=violated kind=race mentions=allocating cflags=-DALLOC=realloc(malloc(4),400)
#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
_Atomic(int *) p;
#ifndef ALLOC
#define ALLOC malloc(sizeof(int))
#endif
void *t1(void *u){ atomic_store_explicit(&p, ALLOC, memory_order_relaxed); return 0; }
void *t2(void *u){ int *r = atomic_load_explicit(&p, memory_order_relaxed); if (r) *r = 18; return 0; }
int main(void){ pthread_t a,b; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_join(a,0); pthread_join(b,0); free(p); return 0; }
