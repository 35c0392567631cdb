// A thread writes beyond a local array of another one.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds mentions=`numbers` with=clang opt=1,2,3 everywhere cflags=-DWRONG
#include <pthread.h>
#ifdef WRONG
#define COUNT 4
#else
#define COUNT 3
#endif
static void *fill(void *argument) {
  int *numbers = argument;
  for (int i = 0; i < COUNT; i++) numbers[i] = i;
  return argument;
}
int main(void) {
  int numbers[3], others[3] = {1, 2, 3};
  int *volatile p = others;
  pthread_t thread;
  pthread_create(&thread, 0, fill, numbers);
  pthread_join(thread, 0);
  return numbers[2] + p[2] == 0;
}
