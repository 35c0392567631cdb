// A local variable that nobody has written, read by its own thread or another one.
// expect verdict=violated kind=uninitialised mentions=`x` cflags=-DTYPE=int
// expect verdict=violated kind=uninitialised mentions=`x` cflags=-DTYPE=char
// expect verdict=violated kind=uninitialised mentions=`x` cflags=-DTYPE=short
// expect verdict=violated kind=uninitialised mentions=`x` cflags=-DTYPE=long
// expect verdict=violated kind=uninitialised mentions=`x` cflags=-DTYPE=double
// expect verdict=violated kind=uninitialised mentions=`x` cflags=-DTYPE=float
// expect verdict=violated kind=uninitialised mentions=stack_unwritten.c:19 cflags=-DTYPE=int
// expect verdict=violated kind=uninitialised mentions=`x` cflags=-DTYPE=int cflags=-DOTHER
// expect verdict=violated kind=uninitialised mentions=`x` cflags=-DTYPE=char cflags=-DOTHER
// expect verdict=holds cflags=-DTYPE=int cflags=-DWRITTEN
// expect verdict=holds cflags=-DTYPE=char cflags=-DWRITTEN
// expect verdict=holds cflags=-DTYPE=double cflags=-DWRITTEN
// expect verdict=holds cflags=-DTYPE=int cflags=-DWRITTEN cflags=-DOTHER
#include "publish.h"
static volatile int looked_at;
static void *maker(void *a) {
  TYPE
      x;
#ifdef WRITTEN
  x = (TYPE)0xFEFEFEFE;
#endif
#ifdef OTHER
  static atomic_int done;
  publish(&x);
  if (a) publish(&done);
  while (!atomic_load_explicit(&published, memory_order_acquire)) {
  }
  pthread_t t;
  extern void *reader(void *);
  pthread_create(&t, 0, reader, 0);
  pthread_join(t, 0);
#else
  extern void *reader(void *);
  publish(&x);
  reader(0);
#endif
  return a;
}
void *reader(void *a) {
  TYPE *p = found();
  looked_at = *p == 3;
  return a;
}
int main(void) {
  maker(0);
  return 0;
}
