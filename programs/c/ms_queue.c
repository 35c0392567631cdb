/* The queue of Michael & Scott under the client Multiset(n) of SPORE. In annotated, moving the tail is left to the
   thread that has inserted; in annotated_inserts all threads insert. */
// expect n=2 off=3 on=3
// expect n=3 off=26 on=13
// expect n=4 off=158 on=41
// expect n=5 off=4638 on=397
// expect n=6 on=1284
// expect annotated n=2 off=2 on=2
// expect annotated n=3 off=6 on=3
// expect annotated n=4 off=22 on=6
// expect annotated n=5 off=114 on=10
// expect annotated n=6 off=618 on=20
// expect annotated_inserts n=3 off=6 on=1
// expect annotated_inserts n=4 off=24 on=1
#if defined(annotated) || defined(annotated_inserts)
#define ANNOTATED
#endif
#include <assert.h>
#include <quotient.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "threads.h"

struct node {
  int value;
  _Atomic(struct node *) next;
};

static _Atomic(struct node *) head, tail;

static struct node *new_node(int value) {
  struct node *node = malloc(sizeof *node);
  node->value = value;
  atomic_init(&node->next, 0);
  return node;
}

static void exchange_tail(struct node *last, struct node *node) {
  atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_release, memory_order_relaxed);
}

/* Makes the node the last one, as the thread that has inserted it. */
static void move_tail(struct node *last, struct node *node) {
#ifdef ANNOTATED
  quotient_primary_begin(&tail, last, node);
  exchange_tail(last, node);
  quotient_primary_end();
#else
  exchange_tail(last, node);
#endif
}

/* The same on behalf of the thread that has inserted it. */
static void help_move_tail(struct node *last, struct node *node) {
#ifdef ANNOTATED
  quotient_help(&tail, last, node);
#else
  exchange_tail(last, node);
#endif
}

static void *insert(void *argument) {
  struct node *node = new_node(42);
  for (;;) {
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
    if (last != atomic_load_explicit(&tail, memory_order_acquire)) continue;
    if (next) {
      help_move_tail(last, next);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_release, memory_order_relaxed)) {
      move_tail(last, node);
      return argument;
    }
  }
}

static void *remove_one(void *argument) {
  for (;;) {
    struct node *first = atomic_load_explicit(&head, memory_order_acquire);
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (first != atomic_load_explicit(&head, memory_order_acquire)) continue;
    if (first == last) {
      if (!next) return argument;
      help_move_tail(last, next);
      continue;
    }
    int value = next->value;
    if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed)) {
      assert(value == 42);
      return argument;
    }
  }
}

#ifdef annotated_inserts
enum { INSERTERS = N, REMOVERS = 0 };
#else
enum { INSERTERS = (N + 1) / 2, REMOVERS = N / 2 };
#endif

int main(void) {
  struct node *dummy = new_node(0);
  atomic_init(&head, dummy);
  atomic_init(&tail, dummy);
  pthread_t inserters[MOST], removers[MOST];
  start(inserters, INSERTERS, insert);
  start(removers, REMOVERS, remove_one);
  join(inserters, INSERTERS);
  join(removers, REMOVERS);
}
