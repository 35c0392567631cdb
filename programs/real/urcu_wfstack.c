/* cds_wfs (liburcu-dev): two threads push, main pops. */
#include "urcu.h"
#include <urcu/wfstack.h>
#include <assert.h>
#include <pthread.h>

struct item { struct cds_wfs_node node; int value, taken; };

static struct cds_wfs_stack stack;
static struct item items[2];

static void *pusher(void *a) {
  struct item *item = a;
  cds_wfs_node_init(&item->node);
  item->value = 1;
  cds_wfs_push(&stack, &item->node);
  return a;
}

int main(void) {
  pthread_t threads[2];
  cds_wfs_init(&stack);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, pusher, &items[i]);
  for (int i = 0; i < 2; i++) {
    struct cds_wfs_node *node = __cds_wfs_pop_blocking(&stack);
    if (!node) continue;
    struct item *item = caa_container_of(node, struct item, node);
    assert(item->value == 1);
    assert(!item->taken++);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
