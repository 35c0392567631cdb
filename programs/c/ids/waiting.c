// One thread does not wait as long as the others do.
// expect ids=refused
#include "start.h"
static atomic_int x, y;
static void *worker(void *id) {
  while (!atomic_load(&x))
    if ((long)id == N - 1) break;
  atomic_fetch_add(&y, 1);
  return 0;
}
static void *starter(void *a) {
  atomic_store(&x, 1);
  return a;
}
int main(void) {
  pthread_t s;
  pthread_create(&s, 0, starter, 0);
  RUN(worker);
  pthread_join(s, 0);
}
