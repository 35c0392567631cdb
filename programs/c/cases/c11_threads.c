// expect verdict=holds
#include <assert.h>
#include <threads.h>
static mtx_t m;
static int counter;
static int worker(void *a) {
  (void)a;
  mtx_lock(&m);
  counter++;
  mtx_unlock(&m);
  return 7;
}
int main(void) {
  thrd_t s, t;
  int result;
  mtx_init(&m, mtx_plain);
  thrd_create(&s, worker, 0);
  thrd_create(&t, worker, 0);
  thrd_join(s, &result);
  thrd_join(t, 0);
  assert(counter == 2 && result == 7);
  mtx_destroy(&m);
}
