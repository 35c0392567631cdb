// Arrays of variable size, loops that go through memory with pointers, sizes that are computed from them: nothing of that tells
// threads apart.
// expect verdict=holds alike=yes executions=1 unreduced=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_int sum;

static int add_up(const int *begin, const int *end) {
  int total = 0;
  while (begin < end) total += *begin++;
  return total;
}

static void *work(void *argument) {
  int count = 3;
  int variable[count], *block = malloc(5 * sizeof *block), *copy;
  for (int i = 0; i < count; i++) variable[i] = i;
  for (int *p = block; p <= block + 4; p++) *p = (int)(p - block);
  copy = realloc(block, 10 * sizeof *block);
  size_t half = (size_t)((char *)(copy + 5) - (char *)copy) / 2;
  assert(half == 10 && (void *)variable != (void *)copy);
  char text[32];
  memset(text, 0, sizeof text);
  strncpy(text, "abc", sizeof text - 1);
  char *found = strchr(text, 'c');
  assert(found && found - text == 2 && (uintptr_t)copy % 16 == 0);
  atomic_fetch_add(&sum, add_up(variable, variable + count) + add_up(copy, copy + 5));
  free(copy);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  assert(atomic_load(&sum) == 26);
}
