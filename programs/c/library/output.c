// expect verdict=violated kind=assertion prints=the-end-of-a-long-text prints=by-puts prints=2.500 prints=wide
// What is printed is shown, however long it is.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

int main(void) {
  static char text[20000];
  memset(text, 'x', sizeof text);
  strcpy(text + sizeof text - 30, "the-end-of-a-long-text");
  printf("%s\n", text);
  puts("by-puts");
  fprintf(stderr, "%5.3f %ls\n", 2.5, L"wide");
  fwrite("abc", 1, 3, stdout);
  dprintf(1, "%s", "last");
  assert(write(1, "\n", 1) == 2);
}
