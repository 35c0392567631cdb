// Who does not get the mutex goes on without; the numbers are those of threads without ids.
// expect ids=accepted same=yes
#include "start.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *worker(void *id) {
  if (pthread_mutex_trylock(&m) == 0) {
    counter++;
    pthread_mutex_unlock(&m);
  }
  return id;
}
int main(void) {
  RUN(worker);
  assert(counter > 0);
}
