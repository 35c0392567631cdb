// `main` looks at an atomic cell of one thread.
// expect ids=refused mentions=slot
#include "start.h"
static atomic_int slot[N];
static void *worker(void *id) {
  atomic_store(&slot[(long)id], 1);
  return 0;
}
int main(void) {
  RUN(worker);
  assert(atomic_load(&slot[0]) == 1);
}
