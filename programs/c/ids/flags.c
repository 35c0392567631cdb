// Each of two threads raises its flag and looks at the other's.
// expect ids=refused mentions=flag
#define N 2
#include "start.h"
static atomic_int flag[2];
static void *worker(void *id) {
  atomic_store(&flag[(long)id], 1);
  (void)atomic_load(&flag[1 - (long)id]);
  return 0;
}
int main(void) { RUN(worker); }
