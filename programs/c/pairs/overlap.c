// Right forms, and wrong ones: functions that must not write what they read.
// expect verdict=holds
// expect verdict=violated kind=misuse cflags=-DWRONG=1
// expect verdict=violated kind=misuse cflags=-DWRONG=2
// expect verdict=violated kind=misuse cflags=-DWRONG=3
// expect verdict=violated kind=misuse cflags=-DWRONG=4
// expect verdict=violated kind=misuse cflags=-DWRONG=5
// expect verdict=violated kind=misuse cflags=-DWRONG=6
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#ifndef WRONG
#define WRONG 0
#endif
int main(void) {
  char *text = malloc(64), *volatile to = text;
  volatile size_t n = 8;
  strcpy(text, "hello world, hello");
#if WRONG == 0
  memmove(to, text + 1, n);
  memcpy(to, text, n);
  memcpy(to, text + 8, n);
  memcpy(to + 8, text, n);
  strcpy(to + 32, text);
  sprintf(to + 32, "%.8s", text);
  snprintf(to, 0, "%s", text);
  snprintf(to, 4, "%s", text + 8);
  to[3] = 0;
  strcat(to, text + 32);
#elif WRONG == 1
  memcpy(to, text + 1, n);
#elif WRONG == 2
  strcpy(to + 1, text);
#elif WRONG == 3
  sprintf(to, "%sx", text);
#elif WRONG == 4
  strcat(to, text + 2);
#elif WRONG == 5
  strncpy(to, text + 3, n);
#elif WRONG == 6
  mempcpy(to + 7, text, n);
#endif
  free(text);
  return 0;
}
