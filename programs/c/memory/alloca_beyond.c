// Beyond blocks of `alloca`, and arrays with a length that was computed, by a pointer.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 everywhere cflags=-DBLOCK
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 cflags=-DBEFORE
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 cflags=-DARRAY
#include <alloca.h>
static int __attribute__((noinline)) fill(char *to, int from, int count) {
  for (int i = from; i < count; i++) to[i] = i;
  return to[0];
}
static int __attribute__((noinline)) with_array(int length) {
  char array[length];
#ifdef ARRAY
  length++;
#endif
  return fill(array, 0, length);
}
int main(void) {
  int sum = 0;
  // All blocks of a function live until it returns, an array only until its block ends.
  for (int size = 1; size < 20; size += 6) {
    char *one = alloca(size), *two = alloca(size);
#if defined BLOCK
    fill(one, 0, size + 1);
#elif defined BEFORE
    fill(one, -1, size);
#else
    fill(one, 0, size);
#endif
    sum += fill(two, 0, size) + with_array(size);
  }
  for (int length = 1; length < 4; length++) {
    char array[length];
    sum += fill(array, 0, length);
  }
  return sum == -1;
}
