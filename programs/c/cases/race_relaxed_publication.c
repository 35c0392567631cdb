// expect verdict=violated kind=race
// expect verdict=holds model=sc
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
static void *writer(void *a) {
  data = 42;
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  return a;
}
int main(void) {
  pthread_t w;
  pthread_create(&w, 0, writer, 0);
  int seen = 0;
  if (atomic_load_explicit(&ready, memory_order_relaxed)) seen = data;
  pthread_join(w, 0);
  return seen;
}
