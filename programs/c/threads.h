/* Starts threads that run the same function on nothing, and waits for them. */
#include <pthread.h>

#ifndef N
#define N 2
#endif

enum { MOST = N > 2 ? N : 2 };

struct group {
  pthread_t threads[MOST];
  int count;
};

static inline void start(struct group *group, int count, void *(*function)(void *)) {
  group->count = count;
  for (int i = 0; i < count; i++) pthread_create(&group->threads[i], 0, function, 0);
}

static inline void join(struct group *group) {
  for (int i = 0; i < group->count; i++) pthread_join(group->threads[i], 0);
}
