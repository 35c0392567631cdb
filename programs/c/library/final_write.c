// Writes that are said to be the last ones to their location, as GenMC's programs say it.
// expect verdict=violated kind=annotation mentions=final everywhere
// expect verdict=violated kind=annotation mentions=final cflags=-DBY_EXCHANGE
// expect verdict=violated kind=annotation mentions=final cflags=-DSEVERAL
// expect verdict=holds executions=1 cflags=-DORDERED everywhere
// expect verdict=holds executions=2 unreduced=2 cflags=-DFAILS
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

static void *one(void *argument) {
#if defined BY_EXCHANGE
  int expected = 0;
  __VERIFIER_final_CAS(atomic_compare_exchange_strong(&x, &expected, 1));
#elif defined FAILS
  int expected = 5;
  __VERIFIER_final_CAS(atomic_compare_exchange_strong(&x, &expected, 1));
#elif defined SEVERAL
  __VERIFIER_final_writes(y = 1; x = 1);
#else
  __VERIFIER_final_write(x = 1);
#endif
  return argument;
}

static void *other(void *argument) {
  x = 2;
  return argument;
}

int main(void) {
  pthread_t threads[2];
#ifdef ORDERED
  other(0);
  pthread_create(&threads[0], 0, one, 0);
  pthread_join(threads[0], 0);
#else
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, other, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
#endif
}
