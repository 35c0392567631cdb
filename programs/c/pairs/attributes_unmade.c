// A right form, and wrong ones: attributes that were not made, or are gone.
// expect verdict=holds
// expect verdict=violated kind=uninitialised cflags=-DWRONG=1
// expect verdict=violated kind=misuse cflags=-DWRONG=2
// expect verdict=violated kind=uninitialised cflags=-DWRONG=3
// expect verdict=violated kind=misuse cflags=-DWRONG=4
// expect verdict=violated kind=misuse cflags=-DWRONG=5
// expect verdict=violated kind=uninitialised cflags=-DWRONG=6
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#ifndef WRONG
#define WRONG 0
#endif
static void *run(void *argument) { return argument; }
int main(void) {
  pthread_attr_t *a = malloc(sizeof *a);
  pthread_mutexattr_t *b = malloc(sizeof *b);
  pthread_condattr_t *c = malloc(sizeof *c);
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  pthread_t thread;
  if (WRONG != 1) pthread_attr_init(a);
  if (WRONG == 2) pthread_attr_destroy(a);
  if (WRONG != 3) pthread_mutexattr_init(b);
  if (WRONG == 4) pthread_mutexattr_destroy(b);
  if (WRONG != 6) pthread_condattr_init(c);
  if (WRONG == 5) pthread_condattr_destroy(c);
  assert(WRONG || pthread_mutexattr_settype(b, 77) == EINVAL);
  pthread_create(&thread, a, run, 0);
  pthread_mutex_init(&mutex, b);
  pthread_cond_init(&condition, c);
  pthread_join(thread, 0);
  pthread_attr_destroy(a);
  pthread_attr_init(a);
  pthread_attr_destroy(a);
  free(a);
  free(b);
  free(c);
  return 0;
}
