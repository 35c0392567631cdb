/* ck_spinlock_mcs (libck-dev): threads count under the lock, each with a place in the queue. */
#include <assert.h>
#include <ck_spinlock.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static ck_spinlock_mcs_t lock;
static int counter;

static void *worker(void *a) {
  static _Thread_local ck_spinlock_mcs_context_t place;
  ck_spinlock_mcs_lock(&lock, &place);
  counter++;
  ck_spinlock_mcs_unlock(&lock, &place);
  return a;
}

int main(void) {
  pthread_t threads[N];
  ck_spinlock_mcs_init(&lock);
  for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
  assert(counter == N);
}
