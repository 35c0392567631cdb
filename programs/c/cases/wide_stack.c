// expect verdict=holds executions=16 cflags=-mcx16
// expect verdict=violated kind=assertion cflags=-mcx16 cflags=-DNO_COUNTER
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* A stack whose head is a pointer with a counter: nodes are used again, and the counter tells the head from one that has
   come back (the ABA problem). Without it, a thread takes what it has seen before another one took two and gave one
   back. */
struct node { _Atomic(struct node *) next; };
struct head { struct node *first; size_t counter; };

static _Atomic struct head top;
static struct node nodes[2];
static atomic_int taken[2];

static size_t count(size_t counter) {
#ifdef NO_COUNTER
  return counter;
#else
  return counter + 1;
#endif
}

static void push(struct node *node) {
  struct head old = atomic_load(&top), new;
  do {
    atomic_store(&node->next, old.first);
    new = (struct head){node, count(old.counter)};
  } while (!atomic_compare_exchange_strong(&top, &old, new));
}

static struct node *pop(void) {
  struct head old = atomic_load(&top), new;
  do {
    if (!old.first) return NULL;
    new = (struct head){atomic_load(&old.first->next), count(old.counter)};
  } while (!atomic_compare_exchange_strong(&top, &old, new));
  return old.first;
}

static void take(struct node *node) {
  if (node) assert(atomic_fetch_add(&taken[node - nodes], 1) == 0);
}

static void give(struct node *node) {
  atomic_fetch_sub(&taken[node - nodes], 1);
  push(node);
}

static void *one(void *a) {
  take(pop());
  return a;
}

static void *other(void *a) {
  struct node *first = pop();
  take(first);
  take(pop());
  if (first) give(first);
  return a;
}

int main(void) {
  push(&nodes[0]);
  push(&nodes[1]);
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  take(pop());
}
