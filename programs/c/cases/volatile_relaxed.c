// expect verdict=violated kind=race
// expect verdict=violated kind=assertion flags=--volatile=relaxed
// expect verdict=holds executions=3 flags=--volatile=relaxed model=sc
// expect verdict=holds executions=3 flags=--volatile=relaxed cflags=-DFENCE
#include <assert.h>
#include <pthread.h>
static volatile int x, y;
static int r, s;
#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence()
#endif
static void *one(void *a) {
  x = 1;
  fence();
  r = y;
  return a;
}
static void *other(void *a) {
  y = 1;
  fence();
  s = x;
  return a;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(r || s);
}
