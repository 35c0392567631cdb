// A variable that nobody has written is read by another thread, which has waited for its address.
// expect verdict=violated kind=uninitialised mentions=`x`
// expect verdict=violated kind=uninitialised mentions=block cflags=-DHEAP
#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
_Atomic(int *) p; atomic_bool done;
void *t1(void *u){
#ifdef HEAP
  int *x = malloc(4); p = x;
#else
  int x; p = &x;
#endif
  while (!done) ; return 0; }
void *t2(void *u){ while (p == NULL) ; int r = *p; done = 1; return (void*)(long)r; }
int main(void){ pthread_t a,b; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_join(a,0); pthread_join(b,0); return 0; }
