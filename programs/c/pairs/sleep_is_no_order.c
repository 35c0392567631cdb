// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
#include <unistd.h>
static int value;
static void *work(void *argument) {
  value = 1;
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
#ifdef WRONG
  sleep(10);
#else
  pthread_join(thread, 0);
#endif
  int seen = value;
#ifdef WRONG
  pthread_join(thread, 0);
#endif
  return seen == 7;
}
