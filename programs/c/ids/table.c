// Every thread looks something up that nobody writes, and keeps it to itself.
// expect ids=accepted off=6 on=1
#include "start.h"
static const int table[4] = {3, 1, 4, 1};
static atomic_int x;
static void *worker(void *id) {
  volatile int mine[4] = {0};
  mine[(long)id] = table[(long)id];
  atomic_fetch_add(&x, 1);
  return 0;
}
int main(void) { RUN(worker); }
