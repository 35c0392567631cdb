// The id is in an array, and the thread has a pointer to its element.
// expect ids=accepted off=6 on=1
#include "start.h"
static atomic_int x;
static void *worker(void *argument) {
  int id = *(int *)argument;
  if (id < 0) abort();
  atomic_fetch_add(&x, 1);
  return argument;
}
int main(void) {
  pthread_t t[N];
  int ids[N];
  for (int i = 0; i < N; i++) {
    ids[i] = i;
    START(&t[i], worker, &ids[i]);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
}
