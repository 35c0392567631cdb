// memmove inside a block, one too far.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG
#include <stdlib.h>
#include <string.h>
#ifdef WRONG
#define COUNT 8
#else
#define COUNT 7
#endif
int main(void) {
  char *block = calloc(8, 1);
  memmove(block, block + 1, COUNT);
  int result = block[3];
  free(block);
  return result;
}
