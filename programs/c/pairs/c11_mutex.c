// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <threads.h>
static mtx_t lock;
static once_flag once = ONCE_FLAG_INIT;
static int value;
static void start(void) { mtx_init(&lock, mtx_plain); }
static int work(void *argument) {
  call_once(&once, start);
#ifndef WRONG
  mtx_lock(&lock);
#endif
  value++;
#ifndef WRONG
  mtx_unlock(&lock);
#endif
  return 0;
}
int main(void) {
  thrd_t threads[2];
  int result;
  for (int i = 0; i < 2; i++) thrd_create(&threads[i], work, 0);
  for (int i = 0; i < 2; i++) thrd_join(threads[i], &result);
}
