// expect verdict=violated kind=invalid-free line=6
#include <stdlib.h>
static int global;
int main(void) {
  int *volatile p = &global;
  free(p);
}
