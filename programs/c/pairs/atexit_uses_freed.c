// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=use-after-free cflags=-DWRONG with=gcc opt=0
#include <stdlib.h>
static int *block;
static int sink;
static void at_end(void) {
  sink = *block;
#ifndef WRONG
  free(block);
#endif
}
int main(void) {
  block = malloc(sizeof *block);
  *block = 1;
  atexit(at_end);
#ifdef WRONG
  free(block);
#endif
}
