// The first thread does something else than the others.
// expect ids=refused
#include "start.h"
static atomic_int x, y;
static void *worker(void *id) {
  if (id == 0) atomic_store(&x, 1); else atomic_store(&y, 1);
  (void)atomic_load(&x);
  return 0;
}
int main(void) { RUN(worker); }
