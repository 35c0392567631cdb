// Every thread gets a block of memory from `main`, writes its result there, and `main` frees it.
// expect ids=accepted off=6 on=1
#include "start.h"
static atomic_int x;
struct work { int id, result; };
static void *worker(void *argument) {
  struct work *work = argument;
  atomic_fetch_add(&x, 1);
  work->result = 7;
  return 0;
}
int main(void) {
  pthread_t t[N];
  struct work *work[N];
  for (int i = 0; i < N; i++) {
    work[i] = malloc(sizeof *work[i]);
    work[i]->id = i;
    START(&t[i], worker, work[i]);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  for (int i = 0; i < N; i++) {
    assert(work[i]->result == 7);
    free(work[i]);
  }
}
