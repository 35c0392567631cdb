// One thread sorts what another one reads.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
#include <pthread.h>
#include <stdlib.h>
static int numbers[5] = {5, 3, 4, 1, 2};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *sort(void *argument) {
  pthread_mutex_lock(&lock);
  qsort(numbers, 5, sizeof *numbers, compare);
  pthread_mutex_unlock(&lock);
  return argument;
}
int main(void) {
  pthread_t thread;
  int key = 3;
  pthread_create(&thread, 0, sort, 0);
#ifndef WRONG
  pthread_mutex_lock(&lock);
#endif
  int *found = bsearch(&key, numbers, 5, sizeof *numbers, compare);
#ifndef WRONG
  pthread_mutex_unlock(&lock);
#endif
  pthread_join(thread, 0);
  return found && *found == 99;
}
