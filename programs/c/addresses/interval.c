// Threads of two kinds in turn: the addresses of those of one kind have that of the other between them.
// expect verdict=violated kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) middle;
static atomic_int first;

static void *leave(void *argument) {
  atomic_store(&middle, malloc(8));
  return argument;
}

static void *compare(void *argument) {
  char *mine = malloc(8), *other = atomic_load(&middle);
  int turn = atomic_fetch_add(&first, 1);
  // Whose memory is lower comes first, unless the other kind has not come yet.
  if (other) assert(turn == 0 ? mine < other : 1);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, i == 1 ? leave : compare, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
