// The first look at the clock is no choice; each later one is.
// expect verdict=holds executions=1
// expect verdict=holds executions=8 cflags=-DLOOKS=3
// expect verdict=holds executions=1 cflags=-DLOOKS=3 flags=--clock=still
#include <assert.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#ifndef LOOKS
#define LOOKS 0
#endif

int main(void) {
  struct timeval first, last;
  gettimeofday(&first, 0);
  for (int i = 0; i < LOOKS; i++) gettimeofday(&last, 0);
#if LOOKS
  assert(last.tv_sec >= first.tv_sec);
  printf("%ld s\n", (long)(last.tv_sec - first.tv_sec));
#endif
}
