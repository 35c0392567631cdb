// A right form, and wrong ones: a function does something to a part of a variable of its own that another thread knows.
// expect verdict=holds cflags=-DPART=1
// expect verdict=violated kind=race cflags=-DPART=1 cflags=-DWRONG with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=1 cflags=-DWRONG
// expect verdict=holds cflags=-DPART=2 with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=2 cflags=-DWRONG with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=2 cflags=-DWRONG
// expect verdict=holds cflags=-DPART=3 with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=3 cflags=-DWRONG with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=3 cflags=-DWRONG
// expect verdict=holds cflags=-DPART=4 with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=4 cflags=-DWRONG with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=4 cflags=-DWRONG
// expect verdict=holds cflags=-DPART=5 with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=5 cflags=-DWRONG with=clang opt=0
// expect verdict=violated kind=race cflags=-DPART=5 cflags=-DWRONG
#include <pthread.h>
#include <stddef.h>
struct parts {
  int first;
  float second;
  unsigned three : 3, five : 5;
  int all[4];
};
static void *run(void *argument) {
#if PART == 5
  // Only the address of the second part was given away.
  struct parts *parts = (struct parts *)((char *)argument - offsetof(struct parts, second));
#else
  struct parts *parts = argument;
#endif
  parts->second = 2;
  parts->three = 1;
  parts->all[2] = 3;
  return 0;
}
#ifdef WRONG
#define EARLY(...) __VA_ARGS__
#define LATE(...)
#else
#define EARLY(...)
#define LATE(...) __VA_ARGS__
#endif
#if PART == 1
#define DO volatile float second = parts.second; (void)second;
#elif PART == 2
#define DO parts.five = 1;
#elif PART == 3
#define DO for (int i = 0; i < 4; i++) parts.all[i]++;
#elif PART == 4
#define DO parts.all[2] = 5;
#else
#define DO parts.second = 1;
#endif
int main(void) {
  struct parts parts = {0};
  int own[4] = {0}, sum = 0;
  pthread_t threads[1];
#if PART == 5
  pthread_create(&threads[0], 0, run, &parts.second);
#else
  pthread_create(&threads[0], 0, run, &parts);
#endif
  // What nobody else knows is looked at once, and no more.
  for (int i = 0; i < 4; i++) own[i] = i;
  for (int i = 0; i < 4; i++) sum += own[i];
  EARLY(DO)
  for (int i = 0; i < 1; i++) pthread_join(threads[i], 0);
  LATE(DO)
  return sum == 6 ? 0 : 1;
}
