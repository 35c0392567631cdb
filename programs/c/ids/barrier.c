// Threads meet at a barrier, with a cell of their own before and after.
// expect ids=accepted off=6 on=1
#include "start.h"
static pthread_barrier_t meeting;
static int cell[N];
static void *worker(void *id) {
  cell[(long)id] = 1;
  pthread_barrier_wait(&meeting);
  cell[(long)id] = 2;
  return 0;
}
int main(void) {
  pthread_barrier_init(&meeting, 0, N);
  RUN(worker);
  for (int i = 0; i < N; i++) assert(cell[i] == 2);
}
