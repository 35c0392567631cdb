/* ck_spinlock_* (libck-dev): threads count under the lock. */
#include <assert.h>
#include <ck_spinlock.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)

static JOIN(ck_spinlock_, LOCK, _t) lock;
static int counter;

static void *worker(void *a) {
  JOIN(ck_spinlock_, LOCK, _lock)(&lock);
  counter++;
  JOIN(ck_spinlock_, LOCK, _unlock)(&lock);
  return a;
}

int main(void) {
  pthread_t threads[N];
  JOIN(ck_spinlock_, LOCK, _init)(&lock);
  for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
  assert(counter == N);
}
