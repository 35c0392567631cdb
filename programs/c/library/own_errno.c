// expect verdict=holds unreduced=4
// expect verdict=holds alike=yes unseen=none
// expect verdict=violated kind=assertion cflags=-DWRONG
// Every thread has an error number of its own, also if others run between the failure and the look at it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static sem_t none;
static atomic_int turns;

static void *fail(void *argument) {
  assert(errno == 0);
  assert(sem_trywait(&none) == -1);
  atomic_fetch_add(&turns, 1);
#ifdef WRONG
  assert(errno == ERANGE);
#else
  assert(errno == EAGAIN);
#endif
  errno = 0;
  assert(strtol("99999999999999999999", 0, 10) > 0);
  int turn = atomic_load(&turns);
  assert(errno == ERANGE && turn > 0);
  return argument;
}

int main(void) {
  pthread_t one, two;
  sem_init(&none, 0, 0);
  errno = EINTR;
  pthread_create(&one, 0, fail, 0);
  pthread_create(&two, 0, fail, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(errno == EINTR);
  return 0;
}
