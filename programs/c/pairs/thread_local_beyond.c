// A pointer that goes beyond a thread-local variable, into room that nobody has.
// expect verdict=holds everywhere
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG mentions=`row` everywhere
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG cflags=-DBEFORE mentions=`row`
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG cflags=-DZERO mentions=`row`
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG cflags=-DOTHER mentions=`row`
#include <pthread.h>
#ifdef ZERO
static _Thread_local int row[3];
#else
static _Thread_local int row[3] = {1, 2, 3};
#endif
static _Thread_local int next = 4;
__attribute__((noinline)) static int sum(int *volatile from, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) total += from[i];
  return total;
}
__attribute__((noinline)) static int *before(int *volatile from) { return from - 1; }
static void *work(void *argument) {
#if defined BEFORE
  *(int *)argument = sum(before(row), 2);
#elif defined WRONG
  *(int *)argument = sum(row, 4);
#else
  *(int *)argument = sum(row, 3) + sum(&next, 1);
#endif
  return argument;
}
int main(void) {
  int result = 0;
#ifdef OTHER
  pthread_t thread;
  pthread_create(&thread, 0, work, &result);
  pthread_join(thread, 0);
#else
  work(&result);
#endif
  return result == 1;
}
