// expect verdict=violated kind=race
#include <pthread.h>
#include <stdatomic.h>
static union { _Atomic __int128 whole; long half[2]; } shared;
static void *writer(void *a) {
  atomic_store(&shared.whole, 1);
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  shared.half[1] = 1;
  pthread_join(thread, 0);
}
