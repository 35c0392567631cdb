// Somebody waits in the object that is destroyed.
// expect verdict=violated cflags=-DSEMAPHORE
// expect verdict=violated cflags=-DBARRIER
// expect verdict=violated cflags=-DCONDITION
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static pthread_barrier_t b;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int waits;
static void *use(void *a) {
#if defined SEMAPHORE
  sem_wait(&s);
#elif defined BARRIER
  pthread_barrier_wait(&b);
#else
  pthread_mutex_lock(&m);
  waits = 1;
  pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
#endif
  return a;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&t, 0, use, 0);
#if defined SEMAPHORE
  sem_destroy(&s);
#elif defined BARRIER
  pthread_barrier_destroy(&b);
#else
  pthread_mutex_lock(&m);
  if (waits) pthread_cond_destroy(&c);
  pthread_mutex_unlock(&m);
#endif
  return 0;
}
