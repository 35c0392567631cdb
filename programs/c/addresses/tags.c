// Tags in the low and in the high bits of addresses, alignment, ends of arrays, sizes of blocks: all that is blind to the
// numbers that addresses are. The threads stay alike.
// expect verdict=holds alike=yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(uintptr_t) shared;

static void *tag(void *argument) {
  char *block = malloc(64), *end = block + 64;
  int sum = 0;
  for (char *p = block; p < end; p += 16) *p = 1;
  for (char *p = block; p != end; p += 16) sum += *p;
  assert(sum == (end - block) / 16);
  uintptr_t low = (uintptr_t)block | 1, high = (uintptr_t)block | (uintptr_t)3 << 48;
  assert((low & 1) == 1 && (char *)(low & ~(uintptr_t)1) == block);
  assert(high >> 48 == 3 && (char *)(high & 0xffffffffffff) == block);
  uintptr_t up = ((uintptr_t)block + 15) & ~(uintptr_t)15;
  assert((char *)up == block);
  uintptr_t before = atomic_exchange(&shared, low);
  assert(before != low);
  if (before) assert(*(char *)(before & ~(uintptr_t)1) == 1);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, tag, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
