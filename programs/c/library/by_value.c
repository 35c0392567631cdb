// expect verdict=violated kind=race
// expect verdict=holds unseen=none cflags=-DLOCAL
// A structure is copied for a call. gcc does not instrument that, so the copy runs into a trap.
#include <assert.h>
#include <pthread.h>
struct Large { int numbers[10]; } shared;
static volatile int third = 3;
__attribute__((noinline)) static int use(struct Large large) { return large.numbers[third]; }
static void *thread(void *argument) { shared.numbers[1] = 1; return argument; }

int main(void) {
  pthread_t id;
  struct Large own = {{0}}, *pointer = &own;
  pthread_create(&id, 0, thread, 0);
#ifdef LOCAL
  assert(use(own) == 0 && pointer->numbers[1] == 0);
#else
  assert(use(shared) == 0 && pointer->numbers[1] == 0);
#endif
  pthread_join(id, 0);
}
