// expect verdict=violated kind=assertion line=12
// expect verdict=violated kind=assertion line=12 symmetry=off
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *worker(void *a) { (void)a; return (void *)(long)atomic_fetch_add(&x, 1); }
int main(void) {
  pthread_t t[2]; void *r[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], &r[i]);
  assert(r[0] == 0);
}
