// expect verdict=holds
#include <assert.h>
#include <pthread.h>
static void *leave(void *a) { pthread_exit((char *)a + 1); }
int main(void) {
  pthread_t t;
  void *result;
  pthread_create(&t, 0, leave, (void *)4);
  pthread_join(t, &result);
  assert(result == (void *)5);
}
