// Atomic operations need aligned memory.
// expect verdict=violated kind=misuse mentions=aligned cflags=-DOFFSET=2
// expect verdict=violated kind=misuse mentions=aligned cflags=-DOFFSET=6
// expect verdict=holds cflags=-DOFFSET=4
#include <stdatomic.h>
#include <stdlib.h>
int main(void) {
  char *block = calloc(1, 16);
  atomic_int *x = (atomic_int *)(block + OFFSET);
  atomic_fetch_add(x, 1);
  free(block);
  return 0;
}
