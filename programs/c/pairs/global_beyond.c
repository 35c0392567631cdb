// A string that fills its array, and its end.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG
#include <string.h>
#ifdef WRONG
char name[4];
#else
char name[5];
#endif
char other[16] = "other";
int main(void) {
  const char *volatile text = "abcd";
  strcpy(name, text);
  return other[0] != 'o';
}
