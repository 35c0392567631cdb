// The result of snprintf is how long the text would be, not how long it is.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char *text = malloc(8);
  volatile int number = 123456789;
  int length = snprintf(text, 8, "%d", number);
#ifndef WRONG
  if (length > 7) length = 7;
#endif
  text[length] = 0;
  free(text);
}
