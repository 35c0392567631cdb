// The same, but what goes wrong is seen by `main` only, in a cell that all share.
// expect ids=refused verdict=violated kind=assertion mentions=bad
#include "start.h"
static atomic_int x, bad;
static void *worker(void *id) {
  int old = atomic_fetch_add(&x, 1);
  if (old == 0 && (long)id == N - 1) atomic_store(&bad, 1);
  return 0;
}
int main(void) {
  RUN(worker);
  assert(!bad);
}
