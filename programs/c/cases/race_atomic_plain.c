// expect verdict=violated kind=race
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void *set(void *a) {
  atomic_store(&flag, 1);
  return a;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, set, 0);
  int seen = *(int *)&flag;
  pthread_join(a, 0);
  return seen;
}
