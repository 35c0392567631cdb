// A store, in every round, to memory that nobody else knows of yet. It does not keep rounds from being left out if it is
// the next thing that the thread does after looking again, whatever it finds; it does if the thread may look at what it
// has stored, or store elsewhere.
// expect verdict=holds executions=4 cflags=-DK=3 cflags=-DPUSH
// expect verdict=holds executions=7 cflags=-DK=6 cflags=-DPUSH
// expect verdict=holds executions=4 cflags=-DK=3 cflags=-DPLAIN
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DREADS_BACK
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DREADS_SOMETIMES
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DBY_VALUE
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DSOMETIMES
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DTWO_STORES
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DADDS
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DRELAXED
// expect verdict=violated kind=livelock cflags=-DK=1 cflags=-DIN_VAIN
#include "loops.h"
typedef struct {
  atomic_long next;
  long plain;
} node;
atomic_long top;
static void *writer(void *a) {
  for (int i = 1; i <= K; i++) release(top, i);
#ifdef RELAXED
  // What was stored in a round that came to nothing can still be read.
  long seen = relaxed(top);
  if (seen > 100) assert(relaxed(((node *)seen)->next) != 10);
#endif
  return a;
}
#ifdef RELAXED
#define SUCCESS memory_order_relaxed
#else
#define SUCCESS memory_order_release
#endif
static void push(node *own) {
  long seen, wanted;
  do {
    do {
      seen = acquire(top);
#if defined PUSH || defined IN_VAIN
      put_relaxed(own->next, seen);
#elif defined PLAIN
      own->plain = seen;
#elif defined READS_BACK
      long before = relaxed(own->next);
      assert(!(before == 10 && seen == 1));
      put_relaxed(own->next, seen + 10);
#elif defined READS_SOMETIMES
      if (seen == 1) assert(relaxed(own->next) != 10);
      put_relaxed(own->next, seen + 10);
#elif defined BY_VALUE
      put_relaxed(own[seen].next, 10);
#elif defined SOMETIMES
      if (seen == 0) put_relaxed(own->next, 10);
#elif defined TWO_STORES
      put_relaxed(own[2].next, seen);
      put_relaxed(own[seen].next, 10);
#elif defined ADDS
      atomic_fetch_add_explicit(&own->next, seen == 0 ? 10 : 1, memory_order_relaxed);
#elif defined RELAXED
      put_relaxed(own->next, seen + 10);
#endif
#ifdef RELAXED
    } while (seen == 0);
#else
    } while (false);
#endif
    wanted = seen;
#ifdef IN_VAIN
    wanted = 77;
#endif
  } while (!atomic_compare_exchange_strong_explicit(&top, &wanted, (long)own, SUCCESS, memory_order_relaxed));
#if defined BY_VALUE || defined SOMETIMES || defined TWO_STORES
  // Only a round that came to nothing has left this.
  if (seen == 1) assert(relaxed(own->next) != 10);
#elif defined ADDS
  if (seen == 1) assert(relaxed(own->next) != 11);
#endif
}
int main(void) {
  pthread_t t;
  node *own = calloc(3, sizeof *own);
  pthread_create(&t, 0, writer, 0);
  push(own);
  pthread_join(t, 0);
}
