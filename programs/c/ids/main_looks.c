// `main` looks at the cell of one thread, and expects that this one was the first.
// expect ids=refused verdict=violated kind=assertion mentions=cell
#include "start.h"
static atomic_int x;
static int cell[N];
static void *worker(void *id) {
  cell[(long)id] = atomic_fetch_add(&x, 1);
  return 0;
}
int main(void) {
  RUN(worker);
  assert(cell[0] == 0);
}
