// expect verdict=holds
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int inside;
static void *attempt(void *a) {
  if (pthread_mutex_trylock(&m) == 0) {
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&m);
  }
  return a;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, attempt, 0);
  pthread_create(&t, 0, attempt, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
