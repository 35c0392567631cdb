// A right form, and wrong ones: the buffer of the output must be there as long as something is printed.
// expect verdict=holds
// expect verdict=violated kind=use-after-free cflags=-DFREED
// expect verdict=violated kind=dead-stack cflags=-DSTACK
#include <stdio.h>
#include <stdlib.h>
static void at_end(void) { puts("end"); }
int main(void) {
  char *block = malloc(1024);
  atexit(at_end);
#ifdef STACK
  char buffer[1024];
  setbuf(stdout, buffer);
#else
  setvbuf(stdout, block, _IOFBF, 1024);
#endif
  printf("x");
#ifdef FREED
  free(block);
#endif
  printf("more");
#if !defined FREED && !defined STACK
  setvbuf(stdout, 0, _IONBF, 0);
  free(block);
#endif
  return 0;
}
