// The same, but the thread frees its block.
// expect ids=accepted off=6 on=1
#include "start.h"
static atomic_int x;
static void *worker(void *argument) {
  if (*(int *)argument >= 0) atomic_fetch_add(&x, 1);
  free(argument);
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) {
    int *id = malloc(sizeof *id);
    *id = i;
    START(&t[i], worker, id);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
}
