// The attributes of a mutex are destroyed while another thread looks at them.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
#include <pthread.h>
static pthread_mutexattr_t attributes;
static void *work(void *argument) {
  int type;
  pthread_mutexattr_gettype(&attributes, &type);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_mutexattr_init(&attributes);
  pthread_create(&thread, 0, work, 0);
#ifndef WRONG
  pthread_join(thread, 0);
#endif
  pthread_mutexattr_destroy(&attributes);
#ifdef WRONG
  pthread_join(thread, 0);
#endif
}
