// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DHANDLER
/* Who waits for a thread that ends the process is gone with it. What was registered for the end runs before, but not for
   _exit. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static void handler(void) { assert(0); }
static void *worker(void *a) {
#ifdef HANDLER
  exit(0);
#else
  _exit(0);
#endif
  return a;
}
int main(void) {
  pthread_t thread;
  atexit(handler);
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  assert(0);
}
