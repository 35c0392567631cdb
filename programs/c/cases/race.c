// expect verdict=violated kind=race line=6 mentions=race.c:6
#include <pthread.h>
static int counter;
static void *increment(void *a) {
  (void)a;
  counter++;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, increment, 0);
  pthread_create(&b, 0, increment, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
