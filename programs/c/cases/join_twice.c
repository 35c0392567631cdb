// expect verdict=violated kind=misuse line=8
#include <pthread.h>
static void *nothing(void *a) { return a; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, nothing, 0);
  pthread_join(t, 0);
  pthread_join(t, 0);
}
