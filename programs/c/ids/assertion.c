// The threads are alike, and the program is wrong.
// expect ids=accepted verdict=violated kind=assertion
#include "start.h"
static atomic_int x;
static void *worker(void *id) {
  (void)id;
  int old = atomic_load(&x);
  atomic_store(&x, old + 1);
  return 0;
}
int main(void) {
  RUN(worker);
  assert(x == N);
}
