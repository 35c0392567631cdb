// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
#include <semaphore.h>
static sem_t sem;
static void *work(void *argument) {
  sem_post(&sem);
  return argument;
}
int main(void) {
  pthread_t thread;
  sem_init(&sem, 0, 0);
  pthread_create(&thread, 0, work, 0);
#ifdef WRONG
  sem_destroy(&sem);
#endif
  sem_wait(&sem);
  pthread_join(thread, 0);
#ifndef WRONG
  sem_destroy(&sem);
#endif
}
