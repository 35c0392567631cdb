/* Two threads: one makes something and publishes it, the other uses what it finds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifndef ORDER
#define ORDER memory_order_release
#endif
static _Atomic(void *) published;
static void publish(void *p) { atomic_store_explicit(&published, p, ORDER); }
static void *found(void) { return atomic_load_explicit(&published, memory_order_acquire); }
static void both(void *(*a)(void *), void *(*b)(void *)) {
  pthread_t x, y;
  pthread_create(&x, 0, a, 0);
  pthread_create(&y, 0, b, 0);
  pthread_join(x, 0);
  pthread_join(y, 0);
}
