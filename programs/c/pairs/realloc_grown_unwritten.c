// What realloc adds has not been written.
// expect verdict=holds
// expect verdict=violated kind=uninitialised cflags=-DWRONG
#include <stdlib.h>
int main(void) {
  int *block = calloc(2, sizeof *block);
  block = realloc(block, 4 * sizeof *block);
#ifndef WRONG
  block[3] = 0;
#endif
  int result = block[3] == 7;
  free(block);
  return result;
}
