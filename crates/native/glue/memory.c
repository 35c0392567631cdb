/* Part of glue.c: what allocates memory in other ways than `malloc` does. */

#define WEAK __attribute__((weak))

void *memalign(size_t, size_t);

WEAK void *reallocarray(void *block, size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) { errno = ENOMEM; return 0; }
  return realloc(block, all);
}
WEAK void *valloc(size_t size) { return memalign(4096, size); }
WEAK void *pvalloc(size_t size) { return memalign(4096, (size + 4095) / 4096 * 4096); }
