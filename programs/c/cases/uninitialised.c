// expect verdict=violated kind=uninitialised line=5
#include <stdlib.h>
int main(void) {
  int *volatile p = malloc(sizeof *p);
  int value = *p;
  free(p);
  return value;
}
