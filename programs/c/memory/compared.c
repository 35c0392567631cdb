// What `memcmp` says depends on the bytes up to the first that differ: these must have been written.
// expect verdict=violated kind=uninitialised cflags=-DLENGTH=8
// expect verdict=violated kind=uninitialised cflags=-DLENGTH=16 cflags=-DWRITTEN=8
// expect verdict=holds cflags=-DLENGTH=8 cflags=-DWRITTEN=8
// expect verdict=holds cflags=-DLENGTH=16 cflags=-DWRITTEN=8 cflags=-DFIRST=1
#include <stdlib.h>
#include <string.h>
#ifndef WRITTEN
#define WRITTEN 0
#endif
#ifndef FIRST
#define FIRST 0
#endif
char other[16];
int result;
volatile int length = LENGTH;
int main(void) {
  char *block = malloc(16);
  memset(block, FIRST, WRITTEN);
  result = memcmp(block, other, length);
  free(block);
}
