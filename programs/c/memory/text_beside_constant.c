/* A text that has no name lies beside a constant that has one; it is no room between variables. */
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds line=7 cflags=-DBEYOND
#include <string.h>
static const int limits[2] = {7, 9};
static char text[8];
__attribute__((noinline)) static int limit(const int *from, int number) { return from[number]; }
int main(void) {
  strcpy(text, "abcd");
#ifdef BEYOND
  static int (*volatile look)(const int *, int) = limit;
  return look(limits, 2) == 3;
#endif
  return limit(limits, 1) == (int)strlen(text) || strcmp(text, "abcd");
}
