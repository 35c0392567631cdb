// expect verdict=holds
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t b;
static int slots[2];
static void *worker(void *a) {
  int me = (int)(long)a;
  slots[me] = 1;
  pthread_barrier_wait(&b);
  assert(slots[1 - me] == 1);
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&b, 0, 2);
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  pthread_barrier_destroy(&b);
}
