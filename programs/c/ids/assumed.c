// What is assumed about one thread is not assumed about the others.
// expect ids=refused
#include "start.h"
#include <quotient.h>
static atomic_int x;
static void *worker(void *id) {
  int old = atomic_fetch_add(&x, 1);
  quotient_assume(old != 1 || id == 0);
  return 0;
}
int main(void) { RUN(worker); }
