// expect verdict=holds notes=fnmatch
// expect verdict=holds unseen=none cflags=-DKNOWN
// What a function does that nobody knows is not checked, and the answer says so.
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
#ifdef KNOWN
  return abs(1) + isdigit('a') + (int)strlen("a") == 77;
#else
  return fnmatch("a*", "abc", 0) == 77;
#endif
}
