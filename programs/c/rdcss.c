/* RDCSS: replace 0 by 2 in a data cell if a control cell is 0, while another thread sets the control cell. */
// expect n=1 off=2 on=2
// expect n=2 off=20 on=10
// expect n=3 off=519 on=87
// expect n=4 on=1895
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include "threads.h"

struct descriptor {
  uintptr_t control, data, new;
};

static atomic_uintptr_t control, data;

static void complete(uintptr_t marked) {
  struct descriptor *descriptor = (struct descriptor *)(marked - 1);
  int holds = atomic_load_explicit(&control, memory_order_acquire) == descriptor->control;
  uintptr_t outcome = holds ? descriptor->new : descriptor->data;
  atomic_compare_exchange_strong_explicit(&data, &marked, outcome, memory_order_acq_rel, memory_order_acquire);
}

static uintptr_t rdcss(struct descriptor *descriptor) {
  uintptr_t marked = (uintptr_t)descriptor + 1;
  for (;;) {
    uintptr_t seen = descriptor->data;
    if (atomic_compare_exchange_strong_explicit(&data, &seen, marked, memory_order_acq_rel, memory_order_acquire)) {
      complete(marked);
      return seen;
    }
    if (!(seen & 1)) return seen;
    complete(seen);
  }
}

static void *worker(void *argument) {
  struct descriptor *descriptor = malloc(sizeof *descriptor);
  *descriptor = (struct descriptor){0, 0, 2};
  uintptr_t old = rdcss(descriptor);
  assert(old == 0 || old == 2);
  return argument;
}

static void *turn(void *argument) {
  atomic_store_explicit(&control, 1, memory_order_release);
  return argument;
}

int main(void) {
  pthread_t a[MOST], b[MOST];
  start(a, 1, turn);
  start(b, N, worker);
  join(a, 1);
  join(b, N);
}
