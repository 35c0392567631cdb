// Whoever comes first ends the program. The numbers are those of threads without ids.
// expect ids=accepted same=yes
#include "start.h"
static atomic_int x;
static void *worker(void *id) {
  if (atomic_fetch_add(&x, 1) == 0) exit(0);
  atomic_fetch_add(&x, 1);
  return id;
}
int main(void) { RUN(worker); }
