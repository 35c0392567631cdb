// expect verdict=holds
#include <assert.h>
#include <pthread.h>
static _Thread_local int mine = 3;
static void *worker(void *a) {
  assert(mine == 3);
  mine++;
  assert(mine == 4);
  return a;
}
int main(void) {
  pthread_t t[2];
  mine = 9;
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(mine == 9);
}
