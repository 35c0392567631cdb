// expect verdict=violated kind=leak line=5 flags=--leaks=error
// expect verdict=holds executions=1
#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(12);
  p = 0;
  return p != 0;
}
