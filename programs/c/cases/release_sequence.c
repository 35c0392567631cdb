// expect verdict=violated kind=race
// expect verdict=violated kind=race model=ra
// expect verdict=holds model=sc
// expect verdict=holds model=tso
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static void *writer(void *a) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
  return a;
}
int main(void) {
  pthread_t t;
  int seen = 0;
  pthread_create(&t, 0, writer, 0);
  if (atomic_load_explicit(&flag, memory_order_acquire) == 2) seen = data;
  pthread_join(t, 0);
  return seen;
}
