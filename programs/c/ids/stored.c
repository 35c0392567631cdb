// The id is stored where others read it.
// expect ids=refused mentions=owner
#include "start.h"
static atomic_long owner;
static void *worker(void *id) {
  atomic_store(&owner, (long)id);
  (void)atomic_load(&owner);
  return 0;
}
int main(void) { RUN(worker); }
