// A thread has something for two keys when it ends. Which destructor comes first nobody says. Wrong: the program thinks that it
// is the one of the key that was made first.
// expect verdict=holds executions=2
// expect verdict=violated kind=assertion cflags=-DWRONG
// expect verdict=holds executions=1 cflags=-DONE
#include <assert.h>
#include <pthread.h>
static pthread_key_t first, second;
static int calls, last;
static void end_first(void *unused) {
  (void)unused;
  calls++;
#ifdef WRONG
  assert(last == 0);
#endif
  last = 1;
}
static void end_second(void *unused) {
  (void)unused;
  calls++;
  last = 2;
}
static void *work(void *unused) {
  pthread_setspecific(first, &calls);
#ifndef ONE
  pthread_setspecific(second, &calls);
#endif
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_key_create(&first, end_first);
  pthread_key_create(&second, end_second);
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
#ifdef ONE
  assert(calls == 1 && last == 1);
#else
  assert(calls == 2 && (last == 1 || last == 2));
#endif
  return 0;
}
