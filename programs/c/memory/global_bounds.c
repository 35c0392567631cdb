// Between global variables there is room that belongs to none.
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=given cflags=-DINDEX=4
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=given cflags=-DINDEX=-1
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=zero cflags=-DINDEX=4
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=zero cflags=-DINDEX=-1
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=own cflags=-DINDEX=4
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=own cflags=-DINDEX=-2
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=constant cflags=-DINDEX=5 cflags=-DREAD
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=0 cflags=-DINDEX=5
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=&scalar cflags=-DINDEX=1
// expect verdict=violated kind=out-of-bounds cflags=-DARRAY=aligned cflags=-DINDEX=4
// expect verdict=holds cflags=-DARRAY=given cflags=-DINDEX=3
// expect verdict=holds cflags=-DARRAY=aligned cflags=-DINDEX=3
// expect verdict=holds cflags=-DARRAY=constant cflags=-DINDEX=4 cflags=-DREAD
#include <pthread.h>
#include <stdint.h>
int before = 1, given[4] = {1, 2, 3, 4}, between = 1;
int zero[4], other[4];
static int own[4], scalar;
static const int constant[5] = {1, 2, 3, 4, 5};
static _Alignas(64) int aligned[4] = {1};
__attribute__((noinline)) static int local(int *volatile start, volatile int index) {
  int *p = start;
  static int inside[5];
  if (!p) p = inside;
#ifdef READ
  return p[index];
#else
  p[index] = 1;
  return 0;
#endif
}
static volatile int looked_at;
static void *use(void *a) {
  looked_at = local((int *)(uintptr_t)(ARRAY), INDEX);
  return a;
}
int main(void) {
  pthread_t t;
  scalar = own[0] + other[0] + between + before + aligned[0] + (int)constant[0];
  if ((uintptr_t)aligned % 64) return 1;
  pthread_create(&t, 0, use, &scalar);
  pthread_join(t, 0);
  return 0;
}
