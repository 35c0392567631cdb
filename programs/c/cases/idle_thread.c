// expect verdict=holds
// expect verdict=violated kind=livelock cflags=-DJOIN
/* A thread that sleeps forever is gone when the process ends, but nobody can wait for it. */
#include <pthread.h>
#include <unistd.h>
static void *idle(void *a) {
  for (;;) sleep(1);
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, idle, 0);
#ifdef JOIN
  pthread_join(thread, 0);
#endif
}
