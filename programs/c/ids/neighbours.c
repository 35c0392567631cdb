// Whoever is first leaves a message for the thread two places further on; whoever is second looks for one. With threads in
// a circle, the second is never two places further on.
// expect ids=refused verdict=violated kind=assertion mentions=cell
#define N 4
#include "start.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turn, cell[N];
static void *worker(void *id) {
  pthread_mutex_lock(&m);
  int mine = turn++;
  if (mine == 0) cell[((long)id + 2) % N] = 1;
  if (mine == 1) assert(cell[(long)id] == 0);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) { RUN(worker); }
