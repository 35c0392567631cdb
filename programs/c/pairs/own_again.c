// A right form, and a wrong one: the same instruction accesses a part of a variable before anybody else knows it, and afterwards.
// expect verdict=holds with=clang opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=clang opt=0
// expect verdict=violated kind=race cflags=-DWRONG
#include <pthread.h>
struct pair {
  long first, second;
};
static void *run(void *argument) {
  ((struct pair *)argument)->second = 4;
  return 0;
}
int main(void) {
  struct pair pair = {0, 3};
  pthread_t thread;
  for (int i = 0; i < 2; i++) {
#ifdef WRONG
    if (i == 1) pthread_create(&thread, 0, run, &pair);
#endif
    pair.second++;
  }
#ifndef WRONG
  pthread_create(&thread, 0, run, &pair);
#endif
  pthread_join(thread, 0);
  return pair.second == 9;
}
