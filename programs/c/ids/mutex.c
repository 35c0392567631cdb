// A counter under a mutex.
// expect ids=accepted off=6 on=1
#include "start.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *worker(void *id) {
  pthread_mutex_lock(&m);
  counter++;
  pthread_mutex_unlock(&m);
  return id;
}
int main(void) {
  RUN(worker);
  assert(counter == N);
}
