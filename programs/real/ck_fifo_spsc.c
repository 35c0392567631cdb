/* ck_fifo_spsc (libck-dev): main gets what the thread has put in, in this order. */
#include <assert.h>
#include <ck_fifo.h>
#include <pthread.h>

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t entries[4];
static int data[3];

static void *producer(void *a) {
  for (int i = 0; i < 3; i++) {
    data[i] = i + 1;
    ck_fifo_spsc_enqueue(&fifo, &entries[i + 1], &data[i]);
  }
  return a;
}

int main(void) {
  pthread_t thread;
  int last = 0;
  ck_fifo_spsc_init(&fifo, &entries[0]);
  pthread_create(&thread, 0, producer, 0);
  for (int i = 0; i < 3; i++) {
    int *got;
    if (ck_fifo_spsc_dequeue(&fifo, &got)) {
      assert(*got == last + 1);
      last = *got;
    }
  }
  pthread_join(thread, 0);
}
