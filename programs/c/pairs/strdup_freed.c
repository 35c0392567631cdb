// strdup of what is freed.
// expect verdict=holds
// expect verdict=violated kind=use-after-free cflags=-DWRONG
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *first = strdup("text");
#ifdef WRONG
  free(first);
#endif
  char *second = strdup(first);
#ifndef WRONG
  free(first);
#endif
  free(second);
}
