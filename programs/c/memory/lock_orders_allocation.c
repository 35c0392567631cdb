// A pointer that is handed over under a lock, or by starting or joining a thread, is ordered.
// expect verdict=holds
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *shared;
static void *maker(void *a) {
  int *own = a;
  *own = 3;
  pthread_mutex_lock(&m);
  shared = malloc(sizeof *shared);
  pthread_mutex_unlock(&m);
  return calloc(4, sizeof(int));
}
int main(void) {
  pthread_t t;
  int *first = malloc(sizeof *first);
  pthread_create(&t, 0, maker, first);
  pthread_mutex_lock(&m);
  if (shared) *shared = 5;
  pthread_mutex_unlock(&m);
  void *result;
  pthread_join(t, &result);
  assert(*first == 3 && ((int *)result)[3] == 0);
  free(first);
  free(result);
  free(shared);
  return 0;
}
