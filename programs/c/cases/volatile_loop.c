// expect verdict=inconclusive
#include <pthread.h>
static volatile int ready;
static void *waiter(void *a) {
  while (!ready) {}
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, waiter, 0);
  pthread_join(thread, 0);
}
