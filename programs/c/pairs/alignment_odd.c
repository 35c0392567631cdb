// An alignment that is no power of two.
// expect verdict=holds
// expect verdict=violated kind=misuse cflags=-DWRONG
#include <stdlib.h>
#ifdef WRONG
#define ALIGNMENT 24
#else
#define ALIGNMENT 32
#endif
int main(void) {
  volatile size_t alignment = ALIGNMENT;
  void *block = aligned_alloc(alignment, 96);
  free(block);
}
