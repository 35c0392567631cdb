// expect verdict=holds executions=3
// A long thread of seq_cst operations beside a short one.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, counter;

static void *run(void *nothing) {
  for (int i = 0; i < 10000; i++) {
    atomic_store(&counter, i);
  }
  atomic_store(&flag, 1);
  return nothing;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  atomic_store(&flag, 2);
  atomic_load(&flag);
  pthread_join(thread, 0);
  return 0;
}
