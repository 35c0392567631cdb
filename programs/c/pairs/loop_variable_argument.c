// The classic: the address of the loop's variable as an argument.
// expect verdict=holds
// expect verdict=violated kind=race,dead-stack,uninitialised cflags=-DWRONG
#include <pthread.h>
static int seen[3];
static void *work(void *argument) {
#ifdef WRONG
  seen[*(int *)argument % 3] = 1;
#else
  seen[(long)argument] = 1;
#endif
  return 0;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
#ifdef WRONG
    pthread_create(&threads[i], 0, work, &i);
#else
    pthread_create(&threads[i], 0, work, (void *)(long)i);
#endif
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
