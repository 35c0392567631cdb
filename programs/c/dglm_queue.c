/* The queue of Doherty, Groves, Luchangco & Moir under the client Multiset(n) of SPORE. */
// expect n=2 off=4 on=4
// expect n=3 off=34 on=17
// expect n=4 off=286 on=73
// expect annotated n=2 off=3 on=3
// expect annotated n=3 off=8 on=4
// expect annotated n=4 off=50 on=13
#ifdef annotated
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
    struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (first != atomic_load_explicit(&head, memory_order_acquire)) continue;
    if (!next) return argument;
    struct node *expected = first;
    if (atomic_compare_exchange_strong_explicit(&head, &expected, next, memory_order_release, memory_order_relaxed)) {
      if (first == atomic_load_explicit(&tail, memory_order_acquire)) help_move_tail(first, next);
      assert(next->value == 42);
      return argument;
    }
  }
}

int main(void) {
  struct node *dummy = new_node(0);
  atomic_init(&head, dummy);
  atomic_init(&tail, dummy);
  pthread_t inserters[MOST], removers[MOST];
  start(inserters, (N + 1) / 2, insert);
  start(removers, N / 2, remove_one);
  join(inserters, (N + 1) / 2);
  join(removers, N / 2);
}
