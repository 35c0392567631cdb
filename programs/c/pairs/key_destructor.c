// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=use-after-free,double-free cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
#include <stdlib.h>
static pthread_key_t key;
static void drop(void *value) { free(value); }
static void *work(void *argument) {
  int *mine = malloc(sizeof *mine);
  *mine = 3;
  pthread_setspecific(key, mine);
#ifdef WRONG
  return mine;
#else
  return 0;
#endif
}
int main(void) {
  pthread_t thread;
  void *result;
  pthread_key_create(&key, drop);
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, &result);
  return result ? *(int *)result - 3 : 0;
}
