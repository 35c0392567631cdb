// A round changes memory under one lock and changes it back under another. Who takes both in between sees it, although it
// reads only what the round leaves at last in each lock.
// expect verdict=violated kind=assertion
// expect verdict=holds cflags=-DONE_LOCK
#include "loops.h"
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int data;
atomic_int seen, flag;
static void *look(void *argument) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  if (data == 1) put_relaxed(seen, 1);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  release(flag, 1);
  return argument;
}
static void change(void) {
  while (!acquire(flag)) {
    pthread_mutex_lock(&a);
    data = 1;
#ifndef ONE_LOCK
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
#endif
    data = 0;
#ifdef ONE_LOCK
    pthread_mutex_unlock(&a);
#else
    pthread_mutex_unlock(&b);
#endif
  }
  assert(!relaxed(seen));
}
int main(void) { beside(look, change); }
