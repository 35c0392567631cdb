// A right form, and a wrong one.
// expect verdict=holds
// expect verdict=violated kind=misuse cflags=-DWRONG
#include <threads.h>
#include <time.h>
int main(void) {
  mtx_t mutex;
  struct timespec time;
#ifdef WRONG
  mtx_init(&mutex, mtx_plain);
#else
  mtx_init(&mutex, mtx_timed | mtx_recursive);
#endif
  timespec_get(&time, TIME_UTC);
  if (mtx_timedlock(&mutex, &time) == thrd_success) mtx_unlock(&mutex);
  mtx_destroy(&mutex);
  return 0;
}
