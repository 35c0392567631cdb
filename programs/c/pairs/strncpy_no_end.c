// A copy without an end is read as a string.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds,uninitialised cflags=-DWRONG
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *copy = malloc(4);
#ifdef WRONG
  strncpy(copy, "abcdef", 4);
#else
  strncpy(copy, "abc", 4);
#endif
  size_t length = strlen(copy);
  free(copy);
  return length > 100;
}
