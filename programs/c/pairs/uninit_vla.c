// An array whose length is computed is read before it is written.
// expect verdict=holds everywhere
// expect verdict=violated kind=uninitialised cflags=-DWRONG mentions=`block` with=gcc opt=0 everywhere
// expect verdict=violated kind=uninitialised cflags=-DWRONG mentions=`block` with=clang opt=1,2,3 everywhere
// expect verdict=violated kind=uninitialised cflags=-DWRONG cflags=-DTHREAD mentions=`block` with=gcc opt=0
#include <pthread.h>
static volatile long seen;
__attribute__((noinline)) static long last(long *block, int count) { return block[count - 1]; }
static void *look(void *block) {
  seen = last(block, 5);
  return block;
}
__attribute__((noinline)) static void use(int count) {
  char other[count + 3];
  long block[count];
#ifdef WRONG
  int written = count - 1;
#else
  int written = count;
#endif
  for (int i = 0; i < written; i++) block[i] = i;
  for (int i = 0; i < count + 3; i++) other[i] = 1;
  seen = other[count];
#ifdef THREAD
  pthread_t thread;
  pthread_create(&thread, 0, look, block);
  pthread_join(thread, 0);
#else
  look(block);
#endif
}
int main(void) {
  volatile int count = 5;
  use(count);
}
