// If it comes first, the last thread has more to choose from than the others.
// expect ids=refused verdict=violated kind=assertion
#include "start.h"
#include <quotient.h>
static atomic_int x;
static void *worker(void *id) {
  int more = (long)id == N - 1;
  if (atomic_fetch_add(&x, 1) == 0) assert(quotient_nondet(2 + more) < 2);
  return 0;
}
int main(void) { RUN(worker); }
