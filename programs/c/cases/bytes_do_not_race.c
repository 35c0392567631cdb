// expect verdict=holds executions=1
#include <pthread.h>
static char bytes[8];
static void *first(void *a) { bytes[1] = 1; return a; }
static void *second(void *a) { bytes[2] = 2; return a; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return bytes[1] + bytes[2] != 3;
}
