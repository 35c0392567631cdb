// Threads wait for a condition; the numbers are those of threads without ids.
// expect ids=accepted same=yes
#include "start.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;
static void *worker(void *id) {
  pthread_mutex_lock(&m);
  while (!go) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return id;
}
static void *starter(void *a) {
  pthread_mutex_lock(&m);
  go = 1;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  return a;
}
int main(void) {
  pthread_t s;
  pthread_create(&s, 0, starter, 0);
  RUN(worker);
  pthread_join(s, 0);
}
