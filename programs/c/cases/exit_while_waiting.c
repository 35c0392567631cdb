// expect verdict=holds executions=1
// expect verdict=holds executions=1 cflags=-DSPIN
// expect verdict=violated kind=deadlock cflags=-DTHREAD_EXIT
/* When main returns the process ends, and with it a thread that waits forever; when main only ends its thread, the process
   does not. */
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int flag;
static void *worker(void *a) {
#ifdef SPIN
  while (!atomic_load(&flag)) {}
#endif
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(&never, &lock);
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  pthread_detach(thread);
#ifdef THREAD_EXIT
  pthread_exit(0);
#endif
  return 0;
}
