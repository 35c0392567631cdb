/* ck_ring with several producers and consumers (libck-dev): nothing is taken twice, and what is taken has been written. */
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int data[2] = {0, 0};

static void *producer(void *a) {
  int *mine = a;
  *mine = 1;
  ck_ring_enqueue_mpmc(&ring, buffer, mine);
  return a;
}

int main(void) {
  pthread_t threads[2];
  int *first, *second;
  ck_ring_init(&ring, 4);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, producer, &data[i]);
  int got = ck_ring_dequeue_mpmc(&ring, buffer, &first);
  if (got) assert(*first == 1);
  if (ck_ring_dequeue_mpmc(&ring, buffer, &second)) {
    assert(*second == 1);
    if (got) assert(first != second);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
