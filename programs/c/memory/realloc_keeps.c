// What was written stays, with its atomic variables; what was not is still unwritten.
// expect verdict=holds
// expect verdict=violated kind=uninitialised cflags=-DUNWRITTEN
// expect verdict=violated kind=uninitialised cflags=-DGROWN
// expect verdict=violated kind=use-after-free cflags=-DOLD
// expect verdict=violated kind=out-of-bounds cflags=-DSHRUNK
// expect verdict=violated kind=use-after-free cflags=-DZERO
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct pair { atomic_int a; int b, c, d; };
static struct pair *p;
static void *add(void *a) {
  atomic_fetch_add(&p->a, 1);
  return a;
}
int main(void) {
  p = malloc(sizeof *p);
  atomic_init(&p->a, 5);
  p->b = 6;
  pthread_t t, u;
  pthread_create(&t, 0, add, 0);
  pthread_create(&u, 0, add, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  struct pair *old = p;
#ifdef SHRUNK
  p = realloc(p, 8);
  p->c = 1;
#elif defined ZERO
  p = realloc(p, 0);
  p = old;
#else
  p = realloc(p, 10 * sizeof *p);
#endif
#ifdef OLD
  old->b = 1;
#endif
  assert(atomic_load(&p->a) == 7 && p->b == 6);
#ifdef UNWRITTEN
  if (p->c) return 1;
#elif defined GROWN
  if (p[3].b) return 1;
#endif
  (void)old;
  free(p);
  return 0;
}
