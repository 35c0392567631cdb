// Two like threads are joined one after the other. What happens between the two joins is ordered after the first thread
// only, whatever that has done: so the places of the threads matter, and like threads are told apart.
// expect verdict=holds alike=yes
// expect verdict=holds cflags=-DAFTER alike=yes
// expect verdict=holds cflags=-DUNRELATED alike=yes
// expect verdict=violated kind=race cflags=-DFREES
// expect verdict=violated kind=race cflags=-DREADS
// expect verdict=violated kind=race cflags=-DWRITES
// expect verdict=violated kind=race cflags=-DATOMIC
// expect verdict=violated kind=race cflags=-DLEAVES
// expect verdict=violated kind=race cflags=-DOTHER
// expect verdict=violated kind=race cflags=-DFREES flags=--symmetry=ids
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns, unrelated;
static int *shared;
static atomic_int counter;
static pthread_t first, second;
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  int turn = turns++;
  pthread_mutex_unlock(&lock);
  if (turn == 0) {
    *shared = 5;
    atomic_store_explicit(&counter, 1, memory_order_relaxed);
  }
  return argument;
}
static void *join_both(void *argument) {
  pthread_join(first, 0);
#if defined FREES
  free(shared);
#elif defined READS || defined OTHER
  volatile int seen = *shared;
  (void)seen;
#elif defined WRITES
  *shared = 7;
#elif defined ATOMIC
  *(volatile int *)&counter = 2;
#elif defined LEAVES
  return argument;
#elif defined UNRELATED
  unrelated = 1;
#endif
  pthread_join(second, 0);
#ifdef AFTER
  *shared = 7;
#endif
  return argument;
}
#ifdef LEAVES
__attribute__((destructor)) static void at_the_end(void) {
  if (*shared == 6) abort();
}
#endif
int main(void) {
  shared = calloc(1, sizeof *shared);
  pthread_create(&first, 0, work, 0);
  pthread_create(&second, 0, work, 0);
#ifdef OTHER
  pthread_t third;
  pthread_create(&third, 0, join_both, 0);
  pthread_join(third, 0);
#else
  join_both(0);
#endif
  return 0;
}
