// The id is what a lock is locked with.
// expect ids=refused mentions=owner
#include "start.h"
static atomic_long owner;
static void *worker(void *id) {
  long nobody = 0;
  if (atomic_compare_exchange_strong(&owner, &nobody, (long)id + 1)) atomic_store(&owner, 0);
  return 0;
}
int main(void) { RUN(worker); }
