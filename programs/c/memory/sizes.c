// What functions that allocate do with odd sizes and alignments.
// expect verdict=holds
// expect verdict=violated kind=misuse cflags=-DCALL=aligned_alloc(3,9)
// expect verdict=violated kind=misuse cflags=-DCALL=aligned_alloc(48,48)
// expect verdict=holds cflags=-DCALL=aligned_alloc(16,16)
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
int main(void) {
#ifdef CALL
  void *volatile p = CALL;
  return p == 0;
#else
  volatile size_t zero = 0, huge = SIZE_MAX / 2, many = SIZE_MAX / 4;
  void *p = malloc(zero), *q = malloc(zero), *volatile r;
  assert(p && q && p != q);
  free(p);
  free(q);
  r = malloc(huge);
  assert(!r);
  r = malloc(huge * 2 + 1);
  assert(!r);
  r = calloc(many, 16);
  assert(!r);
  r = reallocarray(0, many, 16);
  assert(!r);
  p = malloc(10);
  r = realloc(p, huge);
  assert(!r);
  p = realloc(p, 100);
  assert(p);
  r = realloc(p, zero);
  assert(!r);
  p = (void *)1;
  assert(posix_memalign(&p, 3, 8) == EINVAL);
  assert(posix_memalign(&p, 4, 8) == EINVAL);
  assert(p == (void *)1);
  assert(posix_memalign(&p, 64, 8) == 0 && (uintptr_t)p % 64 == 0);
  free(p);
  p = aligned_alloc(256, 256);
  assert((uintptr_t)p % 256 == 0);
  free(p);
  free(0);
  return 0;
#endif
}
