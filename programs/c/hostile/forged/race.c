/* A race, and a use of memory that was freed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifdef HOOKS
/* The functions that accesses are reported to. */
HOOKS
#endif
static int y;
static atomic_int z;
static void *t(void *a) {
  y++;
  z++;
  return a;
}
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, t, 0);
  pthread_create(&q, 0, t, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  int *gone = malloc(4);
  free(gone);
  *gone = 1;
}
