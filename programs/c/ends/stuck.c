// Two threads that take two mutexes in opposite orders: an error if somebody waits for them, else a note.
// expect verdict=violated kind=deadlock cflags=-DJOIN everywhere
// expect verdict=violated kind=deadlock cflags=-DEXIT everywhere
// expect verdict=holds says=stuck.c:19 says=stuck.c:28 says=--stuck-threads everywhere
// expect verdict=holds silent=stuck.c flags=--stuck-threads=off
// expect verdict=violated kind=deadlock flags=--stuck-threads=error
// expect verdict=holds says=stuck.c:19 cflags=-DCALL
// expect verdict=violated kind=deadlock flags=--stuck-threads=error cflags=-DCALL
// expect verdict=violated kind=deadlock flags=--stuck-threads=error cflags=-DSOMEBODY
// expect verdict=holds cflags=-DSOMEBODY
// expect verdict=holds silent=stuck.c flags=--stuck-threads=error cflags=-DRIGHT cflags=-DSOMEBODY
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *argument) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return argument;
}

static void *two(void *argument) {
#ifndef RIGHT
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
#endif
#ifdef SOMEBODY
  exit(0);
#endif
  return argument;
}

int main(void) {
  pthread_t x, y;
  pthread_create(&x, 0, one, 0);
  pthread_create(&y, 0, two, 0);
#if defined JOIN
  pthread_join(x, 0);
  pthread_join(y, 0);
#elif defined EXIT
  pthread_exit(0);
#elif defined CALL
  exit(1);
#endif
}
