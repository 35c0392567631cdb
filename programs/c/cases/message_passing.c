// expect verdict=holds executions=2
// expect verdict=holds executions=2 model=sc
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
static void *writer(void *a) {
  data = 42;
  atomic_store_explicit(&ready, 1, memory_order_release);
  return a;
}
static void *reader(void *a) {
  if (atomic_load_explicit(&ready, memory_order_acquire)) assert(data == 42);
  return a;
}
int main(void) {
  pthread_t w, r;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(r, 0);
}
