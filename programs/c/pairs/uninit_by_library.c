// A right form, and wrong ones: functions of the library that look at what nobody has written.
// expect verdict=holds
// expect verdict=violated kind=uninitialised cflags=-DWRONG=1
// expect verdict=violated kind=uninitialised cflags=-DWRONG=2
// expect verdict=violated kind=uninitialised cflags=-DWRONG=3
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef WRONG
#define WRONG 0
#endif
struct padded {
  char letter;
  long number;
};
int main(void) {
  char *one = malloc(64), *zero = calloc(1, 64);
  struct padded *padded = malloc(sizeof *padded);
  struct tm *time = malloc(sizeof *time);
  int result = 0;
  memset(one, 0, 7);
#if WRONG == 0
  one[7] = 1;
  padded->letter = 'a';
  padded->number = 1;
  fwrite(padded, sizeof *padded, 1, stdout);
  memset(time, 0, sizeof *time);
#elif WRONG != 3
  memset(time, 0, sizeof *time);
#endif
  if (WRONG == 2) fwrite(padded, sizeof *padded, 1, stdout);
  if (memcmp(one, zero, WRONG == 1 || WRONG == 0 ? 8 : 7)) result = 1;
  if (mktime(time) == 5) result = 2;
  free(one);
  free(zero);
  free(padded);
  free(time);
  return result;
}
