// Whoever is the last to use an object may destroy it at once.
// expect verdict=holds cflags=-DCOUNTED
// expect verdict=holds cflags=-DPOSTED
// expect verdict=holds cflags=-DSERIAL
// expect verdict=holds cflags=-DWOKEN
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct shared {
  pthread_mutex_t m;
  pthread_cond_t c;
  pthread_barrier_t b;
  sem_t s;
  int users, ready;
};
static void *use(void *a) {
  struct shared *x = a;
#if defined COUNTED
  pthread_mutex_lock(&x->m);
  int left = --x->users;
  pthread_mutex_unlock(&x->m);
  if (left == 0) {
    pthread_mutex_destroy(&x->m);
    free(x);
  }
#elif defined POSTED
  sem_post(&x->s);
#elif defined SERIAL
  if (pthread_barrier_wait(&x->b) == PTHREAD_BARRIER_SERIAL_THREAD) pthread_barrier_destroy(&x->b);
#elif defined WOKEN
  pthread_mutex_lock(&x->m);
  x->ready = 1;
  pthread_cond_broadcast(&x->c);
  pthread_mutex_unlock(&x->m);
#endif
  return 0;
}
int main(void) {
  struct shared *x = malloc(sizeof *x);
  pthread_t t[2];
  pthread_mutex_init(&x->m, 0);
  pthread_cond_init(&x->c, 0);
  pthread_barrier_init(&x->b, 0, 2);
  sem_init(&x->s, 0, 0);
  x->users = 2;
  x->ready = 0;
#if defined COUNTED || defined SERIAL
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, use, x);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
#elif defined POSTED
  pthread_create(&t[0], 0, use, x);
  sem_wait(&x->s);
  sem_destroy(&x->s);
  pthread_join(t[0], 0);
#elif defined WOKEN
  pthread_create(&t[0], 0, use, x);
  pthread_mutex_lock(&x->m);
  while (!x->ready) pthread_cond_wait(&x->c, &x->m);
  pthread_mutex_unlock(&x->m);
  pthread_cond_destroy(&x->c);
  pthread_mutex_destroy(&x->m);
  pthread_join(t[0], 0);
#endif
  return 0;
}
