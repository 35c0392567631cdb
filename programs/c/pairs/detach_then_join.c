// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
static void *work(void *argument) { return argument; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
#ifdef WRONG
  pthread_detach(thread);
#endif
  pthread_join(thread, 0);
}
