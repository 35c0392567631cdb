// expect verdict=holds
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int data;
static void *producer(void *a) {
  data = 5;
  sem_post(&s);
  return a;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, producer, 0);
  sem_wait(&s);
  assert(data == 5);
  pthread_join(t, 0);
  sem_destroy(&s);
}
