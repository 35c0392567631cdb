/* A counter behind a mutex. */
// expect n=2 off=2 on=1 blocked=0
// expect n=3 off=6 on=1 blocked=0
// expect n=4 off=24 on=1 blocked=0
// expect n=5 off=120 on=1 blocked=0
// expect n=6 off=720 on=1 blocked=0
// expect n=16 on=1 blocked=0
#include <assert.h>
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *argument) {
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t threads[MOST];
  start(threads, N, worker);
  join(threads, N);
  assert(counter == N);
}
