// The id is only printed. N! executions, which are one.
// expect ids=accepted off=6 on=1
#include "start.h"
static atomic_int x;
static void *worker(void *id) {
  printf("%ld\n", (long)id);
  atomic_fetch_add(&x, 1);
  return id;
}
int main(void) {
  RUN(worker);
  assert(x == N);
}
