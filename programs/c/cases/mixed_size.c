// expect verdict=violated kind=mixed-size
#include <stdatomic.h>
static _Atomic long x;
int main(void) {
  atomic_store(&x, 1);
  return atomic_load((atomic_int *)&x);
}
