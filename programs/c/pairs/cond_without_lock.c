// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&lock);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
#ifdef WRONG
  pthread_cond_wait(&cond, &lock);
#else
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&cond, &lock);
#endif
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
}
