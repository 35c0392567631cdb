// expect verdict=holds notes=__VERIFIER_local_write
// Annotations for GenMC: a statement, with or without a semicolon; and one that is not checked.
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>
atomic_int x, y;

int main(void) {
  int r = 0;
  __VERIFIER_helped_CAS(atomic_compare_exchange_strong_explicit(&x, &r, 42, memory_order_relaxed, memory_order_relaxed););
  r = 0;
  int done = __VERIFIER_helped_CAS(
      atomic_compare_exchange_strong_explicit(&y, &r, 42, memory_order_relaxed, memory_order_relaxed));
  __VERIFIER_local_write(x = 1);
  assert(done && x == 1 && y == 42);
}
