/* Starts threads that run the same function on nothing, and waits for them. */
#include <pthread.h>

#ifndef N
#define N 2
#endif

enum { MOST = N > 2 ? N : 2 };

static inline void start(pthread_t *threads, int count, void *(*function)(void *)) {
  for (int i = 0; i < count; i++) pthread_create(&threads[i], 0, function, 0);
}

static inline void join(pthread_t *threads, int count) {
  for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
}
