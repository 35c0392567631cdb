// expect verdict=violated kind=invalid-free line=5
#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(32);
  free(p + 8);
}
