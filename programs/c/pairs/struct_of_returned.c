// A structure is copied as a whole from a function that has returned.
// expect verdict=holds
// expect verdict=violated kind=dead-stack cflags=-DWRONG everywhere
#include <stdatomic.h>
struct pair { long first, second, third; };
static _Atomic(struct pair *) kept;
static struct pair shared;
__attribute__((noinline)) static void keep(void) {
#ifdef WRONG
  struct pair own;
#else
#define own shared
#endif
  own.first = own.second = own.third = 1;
  atomic_store(&kept, &own);
}
int main(void) {
  static struct pair copy;
  keep();
  copy = *atomic_load(&kept);
  return copy.first == 2;
}
