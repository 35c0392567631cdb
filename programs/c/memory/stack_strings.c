// Functions of the library write beyond local arrays, or read beyond them.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 everywhere cflags=-DCOPY
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 cflags=-DFORMAT
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 cflags=-DNO_END
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 cflags=-DCOPY_FROM
#include <stdio.h>
#include <string.h>
#ifndef COPY_FROM
#define COPY_FROM 0
#endif
static void __attribute__((noinline)) copy(char *to, const char *from) { strcpy(to, from); }
int main(void) {
  char before[8] = "before", name[8] = "", after[8] = "after", all[9 + COPY_FROM];
#if defined COPY
  copy(name, "12345678");
#else
  copy(name, "1234567");
#endif
#if defined FORMAT
  snprintf(name, 12, "%d", 1234567890);
#else
  snprintf(name, 8, "%d", 1234567890);
#endif
#if defined NO_END
  memset(name, 'x', 8);
#endif
  memcpy(all, name, 8 + COPY_FROM);
  return strlen(name) + strlen(before) + strlen(after) + all[0] == 0;
}
