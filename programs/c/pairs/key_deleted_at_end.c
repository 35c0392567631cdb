// A key is deleted while a thread ends that has something for it: its destructor may run, or not. Nothing is ordered by that.
// expect verdict=holds executions=1
// expect verdict=holds executions=3 cflags=-DBOTH everywhere
// expect verdict=violated kind=assertion cflags=-DWRONG everywhere
// expect verdict=violated kind=assertion cflags=-DWRONG cflags=-DNEVER everywhere
// expect verdict=violated kind=race cflags=-DWRONG cflags=-DDATA
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_key_t key;
static atomic_int dropped, set;
static int data;
static void drop(void *value) {
  atomic_fetch_add((atomic_int *)value, 1);
#ifdef DATA
  data++;
#endif
}
static void *work(void *argument) {
  pthread_setspecific(key, &dropped);
#if defined WRONG || defined BOTH
  atomic_store(&set, 1);
#endif
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_key_create(&key, drop);
  pthread_create(&thread, 0, work, 0);
#if defined WRONG || defined BOTH
  int is_set = atomic_load(&set);
  if (is_set) {
    pthread_key_delete(key);
#ifdef DATA
    data++;
#endif
  }
#endif
  pthread_join(thread, 0);
#ifdef BOTH
  assert(is_set ? dropped <= 1 : dropped == 1);
#elif defined NEVER
  assert(!is_set || dropped == 0);
#elif !defined DATA
  assert(dropped == 1);
#endif
}
