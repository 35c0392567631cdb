// An index that is not one of its array, wherever the array is: also far away, and within a structure.
// expect verdict=violated kind=out-of-bounds mentions=index cflags=-DWHERE=stack cflags=-DINDEX=4
// expect verdict=violated kind=out-of-bounds mentions=index cflags=-DWHERE=stack cflags=-DINDEX=100000
// expect verdict=violated kind=out-of-bounds mentions=-3 cflags=-DWHERE=stack cflags=-DINDEX=-3
// expect verdict=violated kind=out-of-bounds mentions=index cflags=-DWHERE=global cflags=-DINDEX=1000
// expect verdict=violated kind=out-of-bounds mentions=index cflags=-DWHERE=member.first cflags=-DINDEX=4
// expect verdict=violated kind=out-of-bounds mentions=index cflags=-DWHERE=heap->first cflags=-DINDEX=4
// expect verdict=violated kind=out-of-bounds mentions=index cflags=-DWHERE=variable cflags=-DINDEX=4
// expect verdict=violated kind=out-of-bounds mentions=index cflags=-DWHERE=rows[1] cflags=-DINDEX=4
// expect verdict=violated kind=out-of-bounds mentions=length cflags=-DWHERE=variable cflags=-DINDEX=0 cflags=-DLENGTH=-1
// expect verdict=holds cflags=-DWHERE=stack cflags=-DINDEX=3
// expect verdict=holds cflags=-DWHERE=variable cflags=-DINDEX=3
// expect verdict=holds cflags=-DWHERE=heap->last cflags=-DINDEX=6
#include <pthread.h>
#include <stdlib.h>
struct pair { int first[4], second[4]; };
struct open { int first[4]; int last[]; };
#ifndef LENGTH
#define LENGTH 4
#endif
static int global[4];
static volatile int index_ = INDEX, length = LENGTH;
static void *use(void *a) {
  int stack[4] = {0}, rows[2][4] = {{0}};
  int variable[length];
  struct pair member = {{0}};
  struct open *heap = calloc(1, sizeof *heap + 8 * sizeof(int));
  for (int i = 0; i < length; i++) variable[i] = 0;
  WHERE[index_] = 1;
  int sum = stack[0] + rows[0][0] + variable[0] + member.first[0] + heap->first[0] + global[0];
  free(heap);
  return sum < 0 ? 0 : a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, use, 0);
  pthread_join(t, 0);
  return 0;
}
