// Threads that order addresses in the memory of each other: such a program is explored with ascending and with descending
// addresses, and can be stopped in both.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;
static atomic_int lower, higher, turns;

static void *worker(void *argument) {
  int *own = malloc(sizeof *own);
  *own = 1;
  int *other = atomic_exchange(&shared, own);
  if (other) {
    if (own < other)
      atomic_fetch_add(&lower, 1);
    else
      atomic_fetch_add(&higher, 1);
  }
  atomic_fetch_add(&turns, 1);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
