// Threads are given up deep inside of functions; in other executions other functions lie there.
// expect verdict=holds executions=24 flags=--symmetry=off
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 cflags=-DWRONG
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int flag, turn;
static int __attribute__((noinline)) fill(char *to, int count) {
  for (int i = 0; i < count; i++) to[i] = i;
  return to[0];
}
static void __attribute__((noinline)) wait_deep(int depth) {
  char one[3], two[9];
  fill(one, 3);
  fill(two, 9);
  if (depth) wait_deep(depth - 1);
  else while (!atomic_load(&flag));
}
static void __attribute__((noinline)) flat(void) {
  char all[500];
#ifdef WRONG
  fill(all, 501);
#else
  fill(all, 500);
#endif
  atomic_store(&flag, 1);
}
static void *work(void *argument) {
  if (atomic_fetch_add(&turn, 1) == 0) wait_deep(3);
  else flat();
  return argument;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
