// Two pairs of like threads, started a b a b and joined in that order: one execution for all that differ in who is who.
// expect verdict=holds alike=yes executions=6 unreduced=48
// expect verdict=holds alike=yes executions=6 unreduced=48 cflags=-DIN_A_ROW
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *add(void *argument) {
  atomic_fetch_add(&x, 1);
  return argument;
}

static void *set(void *argument) {
  atomic_store(&x, 7);
  return argument;
}

int main(void) {
  pthread_t threads[4];
#ifdef IN_A_ROW
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i < 2 ? add : set, 0);
#else
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i % 2 ? set : add, 0);
#endif
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
}
