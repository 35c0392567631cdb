// A thread is joined or detached, not both. Wrong: it detaches itself while another one waits for its end; or two threads wait
// for its end.
// expect verdict=holds
// expect verdict=violated kind=misuse cflags=-DWRONG
// expect verdict=violated kind=misuse cflags=-DTWICE
// expect verdict=violated kind=misuse cflags=-DOTHER
#include <pthread.h>
static pthread_t first;
static void *work(void *unused) {
#ifdef WRONG
  pthread_detach(pthread_self());
#endif
  return unused;
}
static void *second(void *unused) {
#ifdef TWICE
  pthread_join(first, 0);
#endif
#ifdef OTHER
  pthread_detach(first);
#endif
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&first, 0, work, 0);
  pthread_create(&other, 0, second, 0);
  pthread_join(first, 0);
  pthread_join(other, 0);
  return 0;
}
