// Two threads wait in loops that change something and change it back. What one could learn from the round of the other is
// long ago: it knows later events already.
// expect verdict=holds
// expect verdict=holds cflags=-DALIKE
#include "loops.h"
static atomic_int x, z;
static void *waiter(void *a) {
  int before;
  do {
    atomic_fetch_xor(&x, 2);
    atomic_fetch_xor(&z, 0);
    before = atomic_fetch_xor(&x, 2);
  } while (!before);
  return a;
}
int main(void) {
  pthread_t t[2];
#ifdef ALIKE
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, waiter, 0);
#else
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, waiter, (void *)i);
#endif
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
