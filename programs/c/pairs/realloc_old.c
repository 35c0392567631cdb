// The old pointer after realloc.
// expect verdict=holds
// expect verdict=violated kind=use-after-free cflags=-DWRONG
#include <stdlib.h>
int main(void) {
  int *few = malloc(2 * sizeof *few);
  few[0] = 1;
  int *many = realloc(few, 100 * sizeof *many);
#ifdef WRONG
  int result = *(int *volatile *)&few == 0 ? 0 : few[0];
#else
  int result = many[0];
#endif
  free(many);
  return result - 1;
}
