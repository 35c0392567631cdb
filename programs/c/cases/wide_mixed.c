// expect verdict=violated kind=mixed-size
#include <pthread.h>
#include <stdatomic.h>
static union { _Atomic __int128 whole; atomic_long half; } shared;
static void *writer(void *a) {
  atomic_store(&shared.whole, 1);
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  atomic_load(&shared.half);
  pthread_join(thread, 0);
}
