// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
#ifdef WRONG
static struct { int a : 4, b : 4; } s;
#else
static struct { int a : 4, : 0, b : 4; } s;
#endif
static void *work(void *argument) {
  s.a = 1;
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  s.b = 1;
  pthread_join(thread, 0);
}
