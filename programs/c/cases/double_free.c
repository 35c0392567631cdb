// expect verdict=violated kind=double-free line=6 mentions=double_free.c:5
#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(8);
  free(p);
  free(p);
}
