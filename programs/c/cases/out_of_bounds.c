// expect verdict=violated kind=out-of-bounds line=6
#include <stdlib.h>
int main(void) {
  int *volatile p = malloc(10 * sizeof *p);
  volatile int index = 10;
  p[index] = 1;
  free(p);
}
