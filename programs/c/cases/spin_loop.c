// expect verdict=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static void *waiter(void *a) {
  while (!atomic_load_explicit(&flag, memory_order_acquire)) {
  }
  assert(data == 3);
  return a;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, waiter, 0);
  data = 3;
  atomic_store_explicit(&flag, 1, memory_order_release);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
