// Memory that cannot be freed.
// expect verdict=holds
// expect verdict=violated kind=invalid-free cflags=-DWRONG
#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(10);
#ifdef WRONG
  p++;
#endif
  free(p);
}
