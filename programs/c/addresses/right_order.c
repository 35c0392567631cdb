// Two like threads take both locks in the order of their addresses, which is right. They are told apart all the same.
// expect verdict=holds warns=right_order.c:20
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { pthread_mutex_t lock; };
static _Atomic(struct node *) published[2];
static atomic_int count;

static void *take(void *argument) {
  struct node *mine = malloc(sizeof *mine);
  pthread_mutex_init(&mine->lock, 0);
  int index = atomic_fetch_add(&count, 1);
  atomic_store(&published[index], mine);
  struct node *other = atomic_load(&published[1 - index]);
  if (!other) return argument;
  struct node *first = mine, *second = other;
  // The lower one first.
  if (other < mine) {
    first = other;
    second = mine;
  }
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, take, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
