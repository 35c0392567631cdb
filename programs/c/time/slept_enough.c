// That somebody has slept for long says nothing about what others have done.
// expect verdict=violated kind=assertion
// expect verdict=violated kind=race cflags=-DRACE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

atomic_int flag;
int data;

static void *set(void *argument) {
  data = 1;
  atomic_store(&flag, 1);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  sleep(10000);
#ifdef RACE
  assert(data < 2);
#else
  assert(atomic_load(&flag));
#endif
  pthread_join(thread, 0);
}
