// An object is used before it was made, or after it was destroyed.
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=4
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=5
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=6
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=7
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=8
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=1 cflags=-DON_HEAP
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=2 cflags=-DON_HEAP
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=3 cflags=-DON_HEAP
// expect verdict=violated kind=misuse mentions=never cflags=-DKIND=1 cflags=-DON_STACK
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=1 cflags=-DDESTROYED
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=2 cflags=-DDESTROYED
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=3 cflags=-DDESTROYED
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=4 cflags=-DDESTROYED
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=5 cflags=-DDESTROYED
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=6 cflags=-DDESTROYED
// expect verdict=holds cflags=-DKIND=1
// expect verdict=holds cflags=-DKIND=2
// expect verdict=holds cflags=-DKIND=3
#include "primitives.h"
#include <stdlib.h>
static object global;
int main(void) {
#if defined ON_STACK
  object local, *x = &local;
#elif defined ON_HEAP
  object *x = malloc(sizeof *x);
#else
  object *x = &global;
#endif
#ifdef DESTROYED
  make(x);
  end(x);
#endif
  take(x);
  give(x);
  return 0;
}
