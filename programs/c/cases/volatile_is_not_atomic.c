// expect verdict=violated kind=race line=7 mentions=`volatile`
#include <pthread.h>
static volatile int ready;
static int data;
static void *producer(void *a) {
  data = 1;
  ready = 1;
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, producer, 0);
  while (!ready) {}
  pthread_join(thread, 0);
  return data - 1;
}
