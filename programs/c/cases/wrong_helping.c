// expect verdict=violated kind=annotation
#include <genmc.h>
#include <stdatomic.h>
static atomic_int x;
int main(void) {
  int expected = 0;
  __VERIFIER_helping_CAS(atomic_compare_exchange_strong(&x, &expected, 1));
}
