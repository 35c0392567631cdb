// A writer, and N readers of which each sees the write or not: 2^N executions, which are N + 1.
// expect ids=accepted off=8 on=4
#include "start.h"
static atomic_int x;
static void *reader(void *id) {
  (void)id;
  (void)atomic_load(&x);
  return 0;
}
static void *writer(void *a) {
  atomic_store(&x, 1);
  return a;
}
int main(void) {
  pthread_t w;
  pthread_create(&w, 0, writer, 0);
  RUN(reader);
  pthread_join(w, 0);
}
