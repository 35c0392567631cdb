// The zeros of calloc, or of memset, are published without order.
// expect verdict=violated kind=race mentions=allocating
// expect verdict=violated kind=race cflags=-DMEMSET cflags=-fno-builtin-memset
#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <string.h>
_Atomic(int *) p;
void *t1(void *u){
#ifdef MEMSET
 int *q = malloc(4); memset(q, 0, 4);
#else
 int *q = calloc(1,4);
#endif
 atomic_store_explicit(&p, q, memory_order_relaxed); return 0; }
void *t2(void *u){ int *r = atomic_load_explicit(&p, memory_order_relaxed); if (r) { int v = *r; assert(v == 0); } return 0; }
int main(void){ pthread_t a,b; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_join(a,0); pthread_join(b,0); free(p); return 0; }
