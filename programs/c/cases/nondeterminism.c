// expect verdict=inconclusive kind=nondeterminism
#include <pthread.h>
#include <stdatomic.h>
static atomic_ulong x;
static void *worker(void *a) {
  for (int i = 0; i < 8; i++) atomic_store(&x, __builtin_ia32_rdtsc());
  return a;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
