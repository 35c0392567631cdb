// A `long double` is read before it is written.
// expect verdict=holds with=gcc everywhere
// expect verdict=violated kind=uninitialised cflags=-DWRONG mentions=`x` with=gcc everywhere
// expect verdict=violated kind=uninitialised cflags=-DWRONG cflags=-DFIELD mentions=`x` with=gcc
#include <stdatomic.h>
static _Atomic(long double *) place;
static volatile double seen;
struct numbers { long double first, second; };
__attribute__((noinline)) static void look(void) { seen = (double)*atomic_load(&place); }
int main(void) {
#ifdef FIELD
  struct numbers x;
  long double *p = &x.second;
  x.first = 1;
#else
  long double x, *p = &x;
#endif
#ifndef WRONG
  *p = 2;
#endif
  atomic_store(&place, p);
  look();
}
