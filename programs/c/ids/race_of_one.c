// One thread forgets the mutex, if it comes second.
// expect ids=refused verdict=violated kind=race
#include "start.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;
static int shared;
static void *worker(void *id) {
  int careless = atomic_fetch_add(&x, 1) == 1 && id == 0;
  if (!careless) pthread_mutex_lock(&m);
  shared++;
  if (!careless) pthread_mutex_unlock(&m);
  return 0;
}
int main(void) { RUN(worker); }
