// expect verdict=holds executions=1 flags=--volatile=relaxed
// expect verdict=violated kind=race flags=--volatile=relaxed cflags=-DNO_FENCE
// expect verdict=violated kind=race
#include <assert.h>
#include <pthread.h>
#ifdef NO_FENCE
#define fence()
#else
#define fence() __sync_synchronize()
#endif
static volatile char ready;
static int data;
static void *producer(void *a) {
  data = 1;
  fence();
  ready = 1;
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, producer, 0);
  while (!ready) {}
  fence();
  assert(data == 1);
  pthread_join(thread, 0);
}
