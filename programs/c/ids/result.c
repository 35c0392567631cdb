// `main` looks at what the first thread returns.
// expect ids=refused verdict=violated kind=assertion
#include "start.h"
static atomic_int x;
static void *worker(void *id) {
  (void)id;
  return (void *)(long)atomic_fetch_add(&x, 1);
}
int main(void) {
  pthread_t t[N];
  void *result[N];
  for (long i = 0; i < N; i++) START(&t[i], worker, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], &result[i]);
  assert(result[0] == 0);
}
