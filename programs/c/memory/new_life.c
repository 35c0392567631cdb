// Memory that is used anew has a new object in it: of another call, of another round, or of another block.
// expect verdict=holds cflags=-DKIND=1
// expect verdict=holds cflags=-DKIND=2
// expect verdict=holds cflags=-DKIND=3
// expect verdict=holds cflags=-DKIND=4
// expect verdict=holds cflags=-DKIND=5
// expect verdict=holds cflags=-DKIND=6
// expect verdict=holds cflags=-DKIND=7
// expect verdict=holds cflags=-DKIND=8
#include "primitives.h"
#include <stdlib.h>
static void use(object *x) {
  take(x);
  give(x);
}
static void call(void) {
  object x;
  make(&x);
  use(&x);
}
static void after(void) {
  object x;
  make(&x);
  use(&x);
  end(&x);
}
int main(void) {
  for (int i = 0; i < 3; i++) call();
  for (int i = 0; i < 3; i++) after();
  for (int i = 0; i < 3; i++) {
    object *x = malloc(sizeof *x);
    make(x);
    use(x);
    free(x);
  }
  for (int i = 0; i < 3; i++) {
    object x;
    make(&x);
    use(&x);
  }
  return 0;
}
