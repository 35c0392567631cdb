// A stack of nodes that like threads push: addresses are only followed and compared for equality. The threads stay alike.
// expect verdict=holds alike=yes executions=4 unreduced=16 cflags=-DTHREADS=2
// expect verdict=holds alike=yes executions=36 unreduced=432 cflags=-DTHREADS=3
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { struct node *next; int value; };
static _Atomic(struct node *) top;
static atomic_int seen;

static void *push(void *argument) {
  struct node *mine = malloc(sizeof *mine), *before = atomic_load(&top);
  mine->value = 1;
  do mine->next = before;
  while (!atomic_compare_exchange_strong(&top, &before, mine));
  struct node *now = atomic_load(&top);
  if (now == mine) atomic_fetch_add(&seen, 1);
  if (now != mine && now != 0) atomic_fetch_add(&seen, 2);
  return argument;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, push, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
}
