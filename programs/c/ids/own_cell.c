// Every thread has a cell of its own, in which `main` finds the same whoever was there.
// expect ids=accepted off=6 on=1
#include "start.h"
static atomic_int x;
static int cell[N];
static void *worker(void *id) {
  cell[(long)id]++;
  atomic_fetch_add(&x, 1);
  cell[(long)id]++;
  return 0;
}
int main(void) {
  RUN(worker);
  for (int i = 0; i < N; i++) assert(cell[i] == 2);
}
