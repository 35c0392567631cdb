/* The ticket lock augmented with a waiting array (Dice & Kogan, Euro-Par 2019). */
// expect n=2 off=4 on=2
// expect n=3 off=96 on=16
// expect n=4 off=6144 on=256
// expect n=5 on=6656
#include <stdatomic.h>
#include "threads.h"

enum { THRESHOLD = 1, SLOTS = N + THRESHOLD + 1 };

static atomic_int next, grant, waiting[SLOTS];
static int data;

static void wait_for_long(int ticket) {
  atomic_int *slot = &waiting[ticket % SLOTS];
  int seen = atomic_load_explicit(slot, memory_order_acquire);
  while (ticket - atomic_load_explicit(&grant, memory_order_acquire) > THRESHOLD) {
    int now;
    while ((now = atomic_load_explicit(slot, memory_order_acquire)) == seen) {
    }
    seen = now;
  }
}

static void acquire(void) {
  int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  int distance = ticket - atomic_load_explicit(&grant, memory_order_acquire);
  if (distance == 0) return;
  if (distance > THRESHOLD) wait_for_long(ticket);
  while (atomic_load_explicit(&grant, memory_order_acquire) != ticket) {
  }
}

static void release(void) {
  int turn = atomic_load_explicit(&grant, memory_order_relaxed) + 1;
  atomic_store_explicit(&grant, turn, memory_order_release);
  atomic_fetch_add_explicit(&waiting[(turn + THRESHOLD) % SLOTS], 1, memory_order_release);
}

static void *worker(void *argument) {
  acquire();
  data++;
  release();
  return argument;
}

int main(void) {
  pthread_t threads[MOST];
  start(threads, N, worker);
  join(threads, N);
}
