// The id is added to a counter that all share.
// expect ids=refused mentions=sum
#include "start.h"
static atomic_long sum;
static void *worker(void *id) {
  atomic_fetch_add(&sum, (long)id);
  return 0;
}
int main(void) {
  RUN(worker);
  assert(sum == N * (N - 1) / 2);
}
