// A pointer to a variable of a call that has returned.
// expect verdict=violated kind=dead-stack
// expect verdict=holds warns=local cflags=-DUNUSED
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(int *) p;
#ifdef UNUSED
static int *give(void) {
  int x = 1;
  return &x;
}
#else
__attribute__((noinline)) static void keep(void) {
  int x = 1;
  atomic_store(&p, &x);
}
#endif
int main(void) {
#ifdef UNUSED
  return give() == &(int){1};
#else
  keep();
  int *q = atomic_load(&p);
  return *q == 3;
#endif
}
