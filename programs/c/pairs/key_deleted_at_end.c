// A key is deleted while a thread ends that has something for it: its destructor may run, or not.
// (The two orders at the barrier make four executions of two.)
// expect verdict=holds executions=1
// expect verdict=holds executions=4 cflags=-DBOTH everywhere
// expect verdict=violated kind=assertion cflags=-DWRONG everywhere
// expect verdict=violated kind=assertion cflags=-DWRONG cflags=-DNEVER everywhere
// expect verdict=violated kind=race cflags=-DWRONG cflags=-DDATA
#include <assert.h>
#include <pthread.h>
static pthread_key_t key;
static int dropped, data;
static void drop(void *value) {
  *(int *)value += 1;
#ifdef DATA
  data++;
#endif
}
static void *work(void *argument) {
  pthread_setspecific(key, &dropped);
  return argument;
}
static void *set_early(void *argument) {
  pthread_barrier_t *set = argument;
  pthread_setspecific(key, &dropped);
  pthread_barrier_wait(set);
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_key_create(&key, drop);
#if defined WRONG || defined BOTH
  pthread_barrier_t set;
  pthread_barrier_init(&set, 0, 2);
  pthread_create(&thread, 0, set_early, &set);
  pthread_barrier_wait(&set);
  pthread_key_delete(key);
#ifdef DATA
  data++;
#endif
  pthread_join(thread, 0);
  (void)work;
#else
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  pthread_key_delete(key);
  (void)set_early;
#endif
#ifdef BOTH
  assert(dropped == 0 || dropped == 1);
#elif defined NEVER
  assert(dropped == 0);
#elif !defined DATA
  assert(dropped == 1);
#endif
}
