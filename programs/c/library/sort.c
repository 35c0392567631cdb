// expect verdict=holds unseen=none
// expect verdict=violated kind=race mentions=numbers cflags=-DRACE
// expect verdict=violated kind=out-of-bounds cflags=-DOVERFLOW
// Sorting reads and writes the array, and calls the program.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int numbers[50];
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *thread(void *argument) { numbers[40] = 1000; return argument; }

int main(void) {
  for (int i = 0; i < 50; i++) numbers[i] = i * 37 % 50;
#ifdef RACE
  pthread_t id;
  pthread_create(&id, 0, thread, 0);
#else
  (void)thread;
#endif
#ifdef OVERFLOW
  int *few = malloc(8);
  few[0] = 2;
  few[1] = 1;
  qsort(few, 3, sizeof *few, compare);
  free(few);
#endif
  qsort(numbers, 50, sizeof *numbers, compare);
#ifdef RACE
  pthread_join(id, 0);
#else
  for (int i = 0; i < 50; i++) assert(numbers[i] == i);
  int wanted = 33;
  assert(bsearch(&wanted, numbers, 50, sizeof *numbers, compare) == numbers + 33);
#endif
}
