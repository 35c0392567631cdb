// A block of alloca is read before it is written, by the function, by another one, by another thread.
// expect verdict=holds everywhere
// expect verdict=violated kind=uninitialised cflags=-DWRONG mentions=alloca mentions=uninit_alloca.c:28 everywhere
// expect verdict=violated kind=uninitialised cflags=-DWRONG cflags=-DTHREAD mentions=alloca
// expect verdict=violated kind=uninitialised cflags=-DWRONG cflags=-DNESTED mentions=alloca
#include <alloca.h>
#include <pthread.h>
#include <string.h>
static volatile long seen;
__attribute__((noinline)) static long last(long *block, int count) { return block[count - 1]; }
static void *look(void *block) {
  seen = last(block, 5);
  return block;
}
__attribute__((noinline)) static void use(int count) {
#ifdef NESTED
  {
    char *other = alloca(40);
    memset(other, 1, 40);
    seen = other[3];
  }
#endif
#ifdef WRONG
  int written = count - 1;
#else
  int written = count;
#endif
  long *block = alloca(sizeof *block * count);
  for (int i = 0; i < written; i++) block[i] = i;
#ifdef THREAD
  pthread_t thread;
  pthread_create(&thread, 0, look, block);
  pthread_join(thread, 0);
#else
  look(block);
#endif
}
int main(void) {
  char *first = alloca(24);
  memset(first, 2, 24);
  use(5);
  use(5);
  return first[23] - 2;
}
