// gcc puts code on the stack for a function inside a function whose address is taken. That cannot be run here, and the answer says so.
// expect verdict=inconclusive kind=unsupported with=gcc opt=0
// expect verdict=holds cflags=-DDIRECT with=gcc
#include <assert.h>
static int apply(int (*function)(int), int x) { return function(x); }
int main(void) {
  int y = 3;
  int add(int x) { return x + y; }
#ifdef DIRECT
  assert(add(2) == 5);
#else
  assert(apply(add, 2) == 5);
#endif
  return 0;
}
