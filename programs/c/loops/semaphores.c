// Takes from a semaphore again and again, or takes and gives back.
// expect verdict=holds cflags=-DTRY
// expect verdict=violated kind=assertion cflags=-DTRY cflags=-DNEVER_FAILS
// expect verdict=holds cflags=-DPAIR
// expect verdict=violated kind=assertion cflags=-DPAIR cflags=-DNEVER_TWICE
// expect verdict=holds cflags=-DVALUE
// expect verdict=violated kind=livelock cflags=-DTRY cflags=-DNOBODY
#include <semaphore.h>
#include "loops.h"
static sem_t s;
atomic_int flag;
static void *waiter(void *a) {
  int rounds = 0;
#if defined TRY
  while (sem_trywait(&s) != 0) {
#elif defined PAIR
  for (;;) {
    sem_wait(&s);
    int now = acquire(flag);
    sem_post(&s);
    if (now) break;
#else
  int value = 0;
  while (sem_getvalue(&s, &value), value == 0) {
#endif
#if defined NEVER_FAILS || defined NEVER_TWICE
    if (rounds < 2) rounds++;
#endif
  }
#ifdef NEVER_FAILS
  assert(rounds == 0);
#endif
  assert(rounds < 2);
  return a;
}
static void set(void) {
#ifdef PAIR
  sem_wait(&s);
  release(flag, 1);
#endif
#ifndef NOBODY
  sem_post(&s);
#endif
}
int main(void) {
#ifdef PAIR
  sem_init(&s, 0, 1);
#else
  sem_init(&s, 0, 0);
#endif
  beside(waiter, set);
}
