// A right form, and a wrong one: a string in memory that sscanf has made.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *word = 0, *letters = 0;
  assert(sscanf("hello world", "%ms %m[a-w]", &word, &letters) == 2);
  assert(!strcmp(word, "hello") && !strcmp(letters, "world"));
#ifdef WRONG
  letters[6] = 0;
#endif
  free(word);
  free(letters);
  return 0;
}
