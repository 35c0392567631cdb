// quick_exit runs what was registered for it, and nothing else.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DASSERT
#include <assert.h>
#include <stdlib.h>

static int order;

static void never(void) { assert(0 && "not for quick_exit"); }
__attribute__((destructor)) static void nor_this(void) { assert(order != 21); }
static void one(void) {
  order = order * 10 + 1;
  assert(order == 21);
#ifdef ASSERT
  assert(order != 21);
#endif
}
static void two(void) { order = order * 10 + 2; }

int main(void) {
  atexit(never);
  at_quick_exit(one);
  at_quick_exit(two);
  quick_exit(3);
}
