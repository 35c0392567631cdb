// expect verdict=violated kind=stack-overflow line=8
// Frames of 64 pages: one of them alone would step over the page below the stack.
#include <pthread.h>
#include <stdatomic.h>

atomic_int turns;

__attribute__((noinline)) static int deeper(volatile char *last) {
  atomic_fetch_add(&turns, 1);
  volatile char more[64 * 4096];
  more[0] = *last;
  return deeper(more) + more[0];
}

static void *run(void *start) {
  volatile char first = 0;
  deeper(&first);
  return start;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  pthread_join(thread, 0);
  return 0;
}
