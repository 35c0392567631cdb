// Every thread keeps its id in a cell of its own, and `main` looks at it: it is always the same.
// expect ids=accepted off=6 on=1
#include "start.h"
static atomic_int x;
static long cell[N];
static void *worker(void *id) {
  cell[(long)id] = (long)id;
  atomic_fetch_add(&x, 1);
  return 0;
}
int main(void) {
  RUN(worker);
  for (int i = 0; i < N; i++) assert(cell[i] == i);
}
