// expect verdict=holds
#include <pthread.h>
#include <stdatomic.h>
static atomic_int done;
static void *worker(void *a) {
  atomic_store(&done, 1);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_detach(t);
  return atomic_load(&done) > 1;
}
