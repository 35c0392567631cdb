/* ck_ring with one producer and one consumer (libck-dev): main gets what the thread has put in, in this order. */
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[2];
static int data[3];

static void *producer(void *a) {
  for (int i = 0; i < 3; i++) {
    data[i] = i + 1;
    ck_ring_enqueue_spsc(&ring, buffer, &data[i]);
  }
  return a;
}

int main(void) {
  pthread_t thread;
  int last = 0;
  ck_ring_init(&ring, 2);
  pthread_create(&thread, 0, producer, 0);
  for (int i = 0; i < 2; i++) {
    int *got;
    if (ck_ring_dequeue_spsc(&ring, buffer, &got)) {
      assert(*got > last);
      last = *got;
    }
  }
  pthread_join(thread, 0);
}
