// strtok keeps its place for all threads.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
#include <pthread.h>
#include <string.h>
static void *split(void *argument) {
  char text[] = "a b c";
#ifdef WRONG
  for (char *word = strtok(text, " "); word; word = strtok(0, " ")) {}
#else
  char *rest;
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(0, " ", &rest)) {}
#endif
  return argument;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, split, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
