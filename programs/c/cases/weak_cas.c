// expect verdict=holds
// expect verdict=violated kind=assertion flags=--spurious-failures
#include <assert.h>
#include <stdatomic.h>
static atomic_int x;
int main(void) {
  int expected = 0;
  assert(atomic_compare_exchange_weak(&x, &expected, 1));
}
