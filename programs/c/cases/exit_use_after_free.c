// expect verdict=violated kind=use-after-free
// expect verdict=holds cflags=-DJOIN
/* What runs at the end of the process meets threads that are still there. */
#include <pthread.h>
#include <stdlib.h>
static int *data;
static void clean(void) { free(data); }
static void *worker(void *a) {
  *data = 1;
  return a;
}
int main(void) {
  pthread_t thread;
  data = malloc(sizeof *data);
  atexit(clean);
  pthread_create(&thread, 0, worker, 0);
#ifdef JOIN
  pthread_join(thread, 0);
#else
  pthread_detach(thread);
#endif
}
