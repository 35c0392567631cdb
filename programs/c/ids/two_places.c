// The first thread counts twice in one place, the others once in each of two.
// expect ids=refused mentions=x
#include "start.h"
static atomic_int x, y;
static void *worker(void *id) {
  atomic_fetch_add(&x, 1);
  atomic_fetch_add(id ? &y : &x, 1);
  return 0;
}
int main(void) {
  RUN(worker);
  assert(x == N + 1);
}
