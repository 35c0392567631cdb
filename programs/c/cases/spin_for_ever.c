// expect verdict=violated kind=livelock
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void *waiter(void *a) {
  while (!atomic_load(&flag)) {
  }
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, waiter, 0);
  pthread_join(t, 0);
}
