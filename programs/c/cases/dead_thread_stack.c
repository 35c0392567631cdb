// expect verdict=violated kind=dead-stack
#include <pthread.h>
static void *child(void *a) {
  int local = 1;
  *(int *volatile *)a = &local;
  return 0;
}
int main(void) {
  int *volatile p;
  pthread_t t;
  pthread_create(&t, 0, child, (void *)&p);
  pthread_join(t, 0);
  return *p;
}
