// expect verdict=holds cflags=-lm
// How numbers are rounded is a matter of each thread; a new one rounds like the one that starts it.
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static void *upward(void *a) {
  assert(fegetround() == FE_DOWNWARD);
  fesetround(FE_UPWARD);
  atomic_store(&turn, 1);
  atomic_load(&turn);
  assert(fegetround() == FE_UPWARD);
  return a;
}
int main(void) {
  pthread_t t;
  assert(fegetround() == FE_TONEAREST);
  fesetround(FE_DOWNWARD);
  pthread_create(&t, 0, upward, 0);
  atomic_store(&turn, 2);
  assert(fegetround() == FE_DOWNWARD);
  pthread_join(t, 0);
  assert(fegetround() == FE_DOWNWARD);
}
