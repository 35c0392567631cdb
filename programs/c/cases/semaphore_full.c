// expect verdict=holds
// A semaphore cannot have more than its largest value: one of the two posts may fail, and says so.
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s, wrong;
static int failures[2];
static void *post(void *at) {
  if (sem_post(&s) != 0) {
    assert(errno == EOVERFLOW);
    *(int *)at = 1;
  }
  return 0;
}
int main(void) {
  pthread_t t[2];
  int value;
  assert(sem_init(&wrong, 0, (unsigned)INT_MAX + 1) == -1 && errno == EINVAL);
  sem_init(&s, 0, INT_MAX - 1);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, post, &failures[i]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  sem_getvalue(&s, &value);
  assert(value == INT_MAX);
  assert(failures[0] + failures[1] == 1);
  sem_destroy(&s);
}
