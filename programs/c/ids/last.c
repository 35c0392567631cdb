// Under a mutex, everybody leaves its id in a variable.
// expect ids=refused verdict=violated kind=assertion mentions=last
#include "start.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long last;
static void *worker(void *id) {
  pthread_mutex_lock(&m);
  last = (long)id;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  RUN(worker);
  assert(last == N - 1);
}
