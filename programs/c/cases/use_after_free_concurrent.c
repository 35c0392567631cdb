// expect verdict=violated
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) shared;
static void *reader(void *a) {
  int *p = atomic_load(&shared);
  if (p) *p = 2;
  return a;
}
int main(void) {
  pthread_t r;
  int *p = malloc(sizeof *p);
  *p = 1;
  atomic_store(&shared, p);
  pthread_create(&r, 0, reader, 0);
  atomic_store(&shared, 0);
  free(p);
  pthread_join(r, 0);
}
