/* cds_wfcq (liburcu-dev): two threads put nodes in, main takes them out. */
#include "urcu.h"
#include <urcu/wfcqueue.h>
#include <assert.h>
#include <pthread.h>

struct item { struct cds_wfcq_node node; int value, taken; };

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct item items[2];

static void *producer(void *a) {
  struct item *item = a;
  cds_wfcq_node_init(&item->node);
  item->value = 1;
  cds_wfcq_enqueue(&head, &tail, &item->node);
  return a;
}

int main(void) {
  pthread_t threads[2];
  cds_wfcq_init(&head, &tail);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, producer, &items[i]);
  for (int i = 0; i < 2; i++) {
    struct cds_wfcq_node *node = __cds_wfcq_dequeue_blocking(&head, &tail);
    if (!node) continue;
    struct item *item = caa_container_of(node, struct item, node);
    assert(item->value == 1);
    assert(!item->taken++);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
