// expect verdict=violated kind=race mentions=race_with_main.c:5
#include <pthread.h>
static int counter;
static void *increment(void *a) {
  counter = 1;
  return a;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, increment, 0);
  counter = 2;
  pthread_join(a, 0);
}
