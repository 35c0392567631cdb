// A thread uses a variable of another one, which may have ended: the owner has to wait. The variable has its first value, so
// that the owner never touches it.
// expect verdict=holds
// expect verdict=violated kind=dead-stack,race cflags=-DWRONG mentions=`own` everywhere
// expect verdict=violated kind=dead-stack,race cflags=-DWRONG cflags=-DEXIT mentions=`own`
#include <pthread.h>
#include <stdatomic.h>
static _Thread_local int own = 5;
static _Atomic(int *) published;
static atomic_int used;
static void *owner(void *argument) {
  atomic_store(&published, &own);
#ifndef WRONG
  while (!atomic_load(&used)) {
  }
#endif
#ifdef EXIT
  pthread_exit(argument);
#endif
  return argument;
}
static void *user(void *argument) {
  int *p = atomic_load(&published);
  int seen = p ? *p : 5;
  atomic_store(&used, 1);
  return seen == 5 ? argument : 0;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, owner, 0);
  pthread_create(&two, 0, user, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
