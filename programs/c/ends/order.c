// What runs at the end runs in this order: handlers, the last first; then destructors by their priority.
// expect verdict=violated kind=assertion mentions=1234
// expect verdict=holds executions=1 cflags=-DRIGHT
#include <assert.h>
#include <stdlib.h>

static int order;

static void one(void) { order = order * 10 + 1; }
static void two(void) { order = order * 10 + 2; }
__attribute__((destructor(300))) static void three(void) { order = order * 10 + 3; }
__attribute__((destructor(200))) static void four(void) {
  order = order * 10 + 4;
#ifdef RIGHT
  assert(order == 1234);
#else
  assert(order != 1234);
#endif
}

int main(void) {
  atexit(two);
  atexit(one);
}
