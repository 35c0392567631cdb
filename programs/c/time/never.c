// A deadline in a hundred years never comes: this is a deadlock.
// expect verdict=violated kind=deadlock
#include "outcome.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

int main(void) {
  struct timespec deadline = from_now(100L * 366 * 24 * 3600);
  sem_init(&semaphore, 0, 0);
  sem_timedwait(&semaphore, &deadline);
}
