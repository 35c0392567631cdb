// What cannot be freed, and what is freed twice.
// expect verdict=violated kind=invalid-free cflags=-DWHAT=&local
// expect verdict=violated kind=invalid-free cflags=-DWHAT=&global
// expect verdict=violated kind=invalid-free cflags=-DWHAT=(block+1)
// expect verdict=violated kind=invalid-free cflags=-DWHAT=(void*)8
// expect verdict=violated kind=invalid-free cflags=-DWHAT="text"
// expect verdict=violated kind=double-free cflags=-DWHAT=block cflags=-DTWICE
// expect verdict=violated kind=double-free cflags=-DWHAT=empty cflags=-DTWICE
// expect verdict=violated cflags=-DWHAT=block cflags=-DTWICE cflags=-DREALLOC
// expect verdict=holds cflags=-DWHAT=block
// expect verdict=holds cflags=-DWHAT=empty
// expect verdict=holds cflags=-DWHAT=0
#include <stdint.h>
#include <stdlib.h>
static int global;
int main(void) {
  int local = 1;
  int *volatile block = malloc(16);
  char *volatile empty = malloc(0);
  void *volatile what = (void *)(uintptr_t)(WHAT);
  (void)local, (void)global;
  free(what);
#ifdef TWICE
#ifdef REALLOC
  what = realloc(what, 100);
#endif
  free(what);
#endif
  return block == 0 && empty == 0;
}
