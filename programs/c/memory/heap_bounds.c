// Blocks have exact sizes, and room on both sides.
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=p[10]=1
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=p[-1]=1
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=p[13]=1
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=x=p[10]
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=memset(p,0,11) cflags=-fno-builtin-memset
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=memcpy(p,text,11) cflags=-fno-builtin-memcpy
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=memcpy(text,p,11) cflags=-fno-builtin-memcpy
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=*(int*)(p+8)=1
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=atomic_store((atomic_int*)(p+8),1)
// expect verdict=violated kind=out-of-bounds cflags=-DACCESS=none[0]=1
// expect verdict=holds cflags=-DACCESS=p[9]=1
// expect verdict=holds cflags=-DACCESS=memset(p,0,10)
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
char text[20];
char *volatile blocks[3];
int main(void) {
  volatile char x = 0;
  char *first = calloc(10, 1), *last;
  blocks[0] = calloc(10, 1);
  blocks[1] = malloc(0);
  last = calloc(10, 1);
  char *p = blocks[0], *none = blocks[1];
  ACCESS;
  text[0] = x;
  __asm__ volatile("" : : "r"(p), "r"(none) : "memory");
  free(first);
  free(p);
  free(none);
  free(last);
  return 0;
}
