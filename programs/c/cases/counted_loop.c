// expect verdict=holds
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int tries;
static void *waiter(void *a) {
  for (tries = 0; tries < 3; tries++)
    if (atomic_load(&flag)) break;
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, waiter, 0);
  atomic_store(&flag, 1);
  pthread_join(t, 0);
}
