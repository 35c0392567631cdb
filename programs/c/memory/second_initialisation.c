// An object is initialised once, until it is destroyed.
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=1
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=2
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=3
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=4
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=5
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=6
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=7
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=8
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=1 cflags=-DON_STACK
// expect verdict=violated kind=misuse mentions=second cflags=-DKIND=5 cflags=-DON_HEAP
// expect verdict=holds cflags=-DKIND=1 cflags=-DDESTROY
// expect verdict=holds cflags=-DKIND=2 cflags=-DDESTROY
// expect verdict=holds cflags=-DKIND=3 cflags=-DDESTROY
// expect verdict=holds cflags=-DKIND=4 cflags=-DDESTROY
// expect verdict=holds cflags=-DKIND=5 cflags=-DDESTROY
// expect verdict=holds cflags=-DKIND=6 cflags=-DDESTROY
// expect verdict=holds cflags=-DKIND=7 cflags=-DDESTROY
// expect verdict=holds cflags=-DKIND=8 cflags=-DDESTROY
// expect verdict=holds cflags=-DKIND=1 cflags=-DOVERWRITE
// expect verdict=holds cflags=-DKIND=4 cflags=-DOVERWRITE
#include "primitives.h"
#include <stdlib.h>
#include <string.h>
static object global;
int main(void) {
#if defined ON_STACK
  object local, *x = &local;
#elif defined ON_HEAP
  object *x = malloc(sizeof *x);
#else
  object *x = &global;
#endif
  make(x);
#ifdef DESTROY
  end(x);
#endif
#ifdef OVERWRITE
  memset(x, 0, sizeof *x);
#endif
  make(x);
  end(x);
  return 0;
}
