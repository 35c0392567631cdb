/* Treiber's stack under the client Multiset(n) of SPORE; in the variant pushes all threads insert. */
// expect n=2 off=2 on=2
// expect n=3 off=8 on=4
// expect n=4 off=38 on=10
// expect n=5 off=282 on=24
// expect n=6 off=2292 on=68
// expect n=7 on=176
// expect pushes n=3 off=6 on=1
// expect pushes n=5 off=120 on=1
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "threads.h"

struct node {
  int value;
  _Atomic(struct node *) next;
};

static _Atomic(struct node *) top;

static void *insert(void *argument) {
  struct node *node = malloc(sizeof *node);
  node->value = 42;
  for (;;) {
    struct node *seen = atomic_load_explicit(&top, memory_order_acquire);
    atomic_store_explicit(&node->next, seen, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&top, &seen, node, memory_order_release, memory_order_relaxed))
      return argument;
  }
}

static void *remove_one(void *argument) {
  for (;;) {
    struct node *seen = atomic_load_explicit(&top, memory_order_acquire);
    if (!seen) return argument;
    struct node *next = atomic_load_explicit(&seen->next, memory_order_relaxed);
    struct node *expected = seen;
    if (atomic_compare_exchange_strong_explicit(&top, &expected, next, memory_order_release, memory_order_relaxed)) {
      assert(seen->value == 42);
      return argument;
    }
  }
}

#ifdef pushes
enum { INSERTERS = N, REMOVERS = 0 };
#else
enum { INSERTERS = (N + 1) / 2, REMOVERS = N / 2 };
#endif

int main(void) {
  pthread_t inserters[MOST], removers[MOST];
  start(inserters, INSERTERS, insert);
  start(removers, REMOVERS, remove_one);
  join(inserters, INSERTERS);
  join(removers, REMOVERS);
}
