// expect verdict=holds executions=6 symmetry=on
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *worker(void *a) {
  atomic_fetch_add(&x, 1);
  return a;
}
int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
