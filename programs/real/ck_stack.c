/* ck_stack, the variant with many producers and consumers for nodes that are not used again (libck-dev). */
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>

struct node { ck_stack_entry_t entry; int value, taken; };

static ck_stack_t stack;
static struct node nodes[3];

static void push(struct node *node) {
  node->value = 1;
  ck_stack_push_upmc(&stack, &node->entry);
}

static void pop(void) {
  struct node *node = (struct node *)ck_stack_pop_upmc(&stack);
  if (!node) return;
  assert(node->value == 1);
  assert(!node->taken++);
}

static void *worker(void *a) {
  push(a);
  pop();
  return a;
}

int main(void) {
  pthread_t threads[2];
  ck_stack_init(&stack);
  push(&nodes[2]);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, &nodes[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
