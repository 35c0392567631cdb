// Like threads that wait with a deadline: half of the executions, and then some, with symmetry.
// expect verdict=holds executions=110
// expect verdict=holds executions=224 flags=--symmetry=off
// expect verdict=holds executions=224 flags=--symmetry=off flags=--jobs=2
#include "outcome.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *take(void *argument) {
  struct timespec deadline = from_now(1);
  if (sem_timedwait(&semaphore, &deadline) == 0) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
  }
  return argument;
}

int main(void) {
  pthread_t threads[3];
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, take, 0);
  sem_post(&semaphore);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  assert(count <= 1);
}
