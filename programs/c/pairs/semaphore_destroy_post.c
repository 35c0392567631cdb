// A semaphore is destroyed before the other thread has posted as often as it does.
// expect verdict=holds
// expect verdict=violated kind=race,misuse cflags=-DWRONG mentions=destroy
#include <pthread.h>
#include <semaphore.h>
static sem_t semaphore;
static void *work(void *argument) {
  sem_post(&semaphore);
  sem_post(&semaphore);
  return argument;
}
int main(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, 0, work, 0);
  sem_wait(&semaphore);
#ifndef WRONG
  sem_wait(&semaphore);
#endif
  sem_destroy(&semaphore);
  pthread_join(thread, 0);
}
