// expect verdict=holds executions=6
// expect verdict=holds executions=1 symmetry=on
#include <pthread.h>
static pthread_spinlock_t l;
static int counter;
static void *worker(void *a) {
  pthread_spin_lock(&l);
  counter++;
  pthread_spin_unlock(&l);
  return a;
}
int main(void) {
  pthread_t t[3];
  pthread_spin_init(&l, 0);
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return counter != 3;
}
