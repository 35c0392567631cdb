// Goes wrong only if a certain thread is the first, which is never so in executions that are explored.
// expect ids=refused verdict=violated kind=assertion
#include "start.h"
static atomic_int x;
static void *worker(void *id) {
  int old = atomic_fetch_add(&x, 1);
  assert(!(old == 0 && (long)id == N - 1));
  return 0;
}
int main(void) { RUN(worker); }
