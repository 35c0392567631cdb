// A stack to which every thread pushes a node of its own; `main` takes them off. The numbers are those of threads
// without ids.
// expect ids=accepted same=yes
#include "start.h"
struct node { int value; struct node *next; };
static _Atomic(struct node *) top;
static void *push(void *id) {
  (void)id;
  struct node *node = malloc(sizeof *node);
  node->value = 7;
  node->next = atomic_load_explicit(&top, memory_order_relaxed);
  while (!atomic_compare_exchange_strong(&top, &node->next, node)) {}
  return 0;
}
int main(void) {
  RUN(push);
  int found = 0;
  for (struct node *node = top; node; found++) {
    struct node *next = node->next;
    assert(node->value == 7);
    free(node);
    node = next;
  }
  assert(found == N);
}
