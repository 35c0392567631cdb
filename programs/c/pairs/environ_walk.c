// What a program reads of the environment itself is not seen, and named.
// expect verdict=holds says=environ
// expect verdict=violated kind=race cflags=-DBY_CALL
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *run(void *argument) {
  setenv("A", "b", 1);
  return argument;
}
int main(void) {
  pthread_t thread;
  int count = 0;
  pthread_create(&thread, 0, run, 0);
#ifdef BY_CALL
  count = getenv("A") != 0;
#else
  for (char **one = environ; one && *one; one++) count++;
#endif
  pthread_join(thread, 0);
  return count == 12345;
}
