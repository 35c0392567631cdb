// `main` adds up what is in the cells. It makes no difference who was where, but that cannot be seen.
// expect ids=refused mentions=cell
#include "start.h"
static atomic_int x;
static int cell[N];
static void *worker(void *id) {
  cell[(long)id] = atomic_fetch_add(&x, 1);
  return 0;
}
int main(void) {
  RUN(worker);
  int sum = 0; for (int i = 0; i < N; i++) sum += cell[i];
  assert(sum == N * (N - 1) / 2);
}
