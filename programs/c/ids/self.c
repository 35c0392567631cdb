// The thread asks who it is.
// expect ids=refused
#include "start.h"
static atomic_int x;
static pthread_t first;
static void *worker(void *id) {
  if (atomic_fetch_add(&x, 1) == 0) first = pthread_self();
  return id;
}
int main(void) { RUN(worker); }
