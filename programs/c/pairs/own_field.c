// A right form, and a wrong one: a function changes a part of a structure of its own that another thread has the address of.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG with=clang opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=clang opt=1,2,3
// expect verdict=violated kind=race cflags=-DWRONG with=gcc
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
  pthread_create(&thread, 0, run, &pair);
#ifdef WRONG
  pair.second++;
#endif
  pthread_join(thread, 0);
  return pair.second == 5;
}
