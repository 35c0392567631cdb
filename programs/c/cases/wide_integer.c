// expect verdict=holds executions=2
// expect verdict=holds executions=1 symmetry=on
// expect verdict=holds executions=2 cflags=-mcx16
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Arithmetic on 16 bytes carries from one half to the other. */
static _Atomic __int128 sum;

static void *add(void *a) {
  atomic_fetch_add(&sum, (__int128)0xFFFFFFFFFFFFFFFF);
  return a;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == ((__int128)1 << 65) - 2);
}
