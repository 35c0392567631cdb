/* cds_lfs (liburcu-dev): threads push, then pop under the lock that the structure asks for. */
#include "urcu.h"
#include <urcu/lfstack.h>
#include <assert.h>
#include <pthread.h>

struct item { struct cds_lfs_node node; int value, taken; };

static struct cds_lfs_stack stack;
static struct item items[2];

static void *worker(void *a) {
  struct item *item = a;
  cds_lfs_node_init(&item->node);
  item->value = 1;
  cds_lfs_push(&stack, &item->node);
  struct cds_lfs_node *node = cds_lfs_pop_blocking(&stack);
  if (!node) return a;
  item = caa_container_of(node, struct item, node);
  assert(item->value == 1);
  assert(!item->taken++);
  return a;
}

int main(void) {
  pthread_t threads[2];
  cds_lfs_init(&stack);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, &items[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
