// sscanf writes as much as its format says.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  short *number = malloc(sizeof *number);
  volatile char text[] = "77";
#ifdef WRONG
  const char *format = "%d";
#else
  const char *format = "%hd";
#endif
  const char *volatile kept = format;
  int count = sscanf((const char *)text, kept, number);
  free(number);
  return count != 1;
}
