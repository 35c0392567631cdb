// A variable in a register is not seen; the compiler is asked.
// expect verdict=holds warns=uninitialized
#include <pthread.h>
static int choose(int a) {
  int x;
  if (a == 1) x = 2;
  return x + a;
}
static int always(void) {
  int y;
  return y + 1;
}
static void *run(void *a) { return choose(1) == 3 ? a : 0; }
int main(int count, char **words) {
  (void)words;
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, 0);
  return count > 5 ? always() : 0;
}
