// expect verdict=inconclusive kind=unsupported mentions=fopen
#include <pthread.h>
#include <stdio.h>
static void *worker(void *a) {
  FILE *f = fopen("/tmp/none", "w");
  return f ? a : 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_join(t, 0);
}
