// expect verdict=violated kind=use-after-free line=7
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  free(p);
  return *(volatile int *)p;
}
