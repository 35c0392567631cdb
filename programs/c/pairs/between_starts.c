// Two like threads are started one after the other. What the first thread does has no order to what happens between, and
// what the second does comes after it: so the places of the threads matter, and like threads are told apart.
// expect verdict=holds alike=yes
// expect verdict=holds cflags=-DBEFORE alike=yes
// expect verdict=holds cflags=-DUNRELATED alike=yes
// expect verdict=violated kind=race cflags=-DWRITES
// expect verdict=violated kind=race cflags=-DREADS
// expect verdict=violated kind=race cflags=-DTHROUGH
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turns, flag;
static int shared, unrelated;
static void *work(void *argument) {
  int turn = atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed);
#if defined THROUGH
  // Somebody else gets to know of the start through whoever comes second.
  if (turn == 1) atomic_store_explicit(&flag, 1, memory_order_release);
#elif defined READS
  if (turn == 1) shared = 1;
#else
  if (turn == 1) {
    volatile int seen = shared;
    (void)seen;
  }
#endif
  return argument;
}
#ifdef THROUGH
static void *watch(void *argument) {
  if (atomic_load_explicit(&flag, memory_order_acquire)) {
    volatile int seen = shared;
    (void)seen;
  }
  return argument;
}
#endif
int main(void) {
  pthread_t first, second;
#ifdef THROUGH
  pthread_t third;
  pthread_create(&third, 0, watch, 0);
#endif
#ifdef BEFORE
  shared = 1;
#endif
  pthread_create(&first, 0, work, 0);
#if defined WRITES || defined THROUGH
  shared = 1;
#elif defined READS
  volatile int seen = shared;
  (void)seen;
#elif defined UNRELATED
  unrelated = 1;
#endif
  pthread_create(&second, 0, work, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
#ifdef THROUGH
  pthread_join(third, 0);
#endif
  return 0;
}
