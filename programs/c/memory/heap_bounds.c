// Blocks have exact sizes, and room on both sides.
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=p[10]=1
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=p[-1]=1
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=p[13]=1
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=x=p[10]
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=memset(p,0,11)
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=memcpy(p,text,11)
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=memcpy(text,p,11)
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=*(int*)(p+8)=1
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=atomic_store((atomic_int*)(p+8),1)
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=none[0]=1
// expect verdict=holds cflags=-DACCESS=p[9]=1
// expect verdict=holds cflags=-DACCESS=memset(p,0,10)
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static char text[20];
int main(void) {
  volatile int size = 10;
  char x = 0;
  char *first = calloc(10, 1), *p = calloc(size, 1), *none = malloc(0), *last = calloc(10, 1);
  ACCESS;
  text[0] = x;
  free(first);
  free(p);
  free(none);
  free(last);
  return 0;
}
