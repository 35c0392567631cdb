/* What allocates memory in other ways than `malloc` does. */

#include "glue.h"
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

void *reallocarray(void *block, size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) { errno = ENOMEM; return 0; }
  return realloc(block, all);
}
void *valloc(size_t size) { return memalign(4096, size); }
void *pvalloc(size_t size) { return memalign(4096, (size + 4095) / 4096 * 4096); }
