// What the first round changes is kept in different places.
// expect verdict=violated kind=assertion cflags=-DLOCAL
// expect verdict=violated kind=assertion cflags=-DADDRESS
// expect verdict=violated kind=assertion cflags=-DADDRESS_NOINLINE
// expect verdict=violated kind=assertion cflags=-DMEMBER
// expect verdict=violated kind=assertion cflags=-DCONTAINER
// expect verdict=violated kind=assertion cflags=-DELEMENT
// expect verdict=violated kind=assertion cflags=-DTHREAD_LOCAL
// expect verdict=violated kind=assertion cflags=-DGLOBAL
// expect verdict=violated kind=assertion cflags=-DHEAP
// expect verdict=violated kind=assertion cflags=-DHEAP_STRUCT
// expect verdict=violated kind=assertion cflags=-DALLOCA
// expect verdict=violated kind=assertion cflags=-DVARIABLE_LENGTH
// expect verdict=violated kind=assertion cflags=-DARGUMENT
// expect verdict=violated kind=assertion cflags=-DBITFIELD
// expect verdict=holds cflags=-DLOCAL cflags=-DALLOWED
// expect verdict=holds cflags=-DADDRESS_NOINLINE cflags=-DALLOWED
// expect verdict=holds cflags=-DCONTAINER cflags=-DALLOWED
// expect verdict=holds cflags=-DELEMENT cflags=-DALLOWED
// expect verdict=holds cflags=-DTHREAD_LOCAL cflags=-DALLOWED
// expect verdict=holds cflags=-DGLOBAL cflags=-DALLOWED
// expect verdict=holds cflags=-DHEAP cflags=-DALLOWED
// expect verdict=holds cflags=-DALLOCA cflags=-DALLOWED
#include <alloca.h>
#include <stddef.h>
#include "loops.h"
atomic_int flag;
struct pair {
  int waited;
  int link;
};
static inline void note(int *waited) { *waited = 1; }
__attribute__((noinline)) static void note_apart(int *waited) { *waited = 1; }
// Knows the second member only, and finds the first below it.
__attribute__((noinline)) static void note_around(int *link) {
  struct pair *pair = (struct pair *)((char *)link - offsetof(struct pair, link));
  pair->waited = 1;
}
__attribute__((noinline)) static int wait_with(int waited) {
  while (!acquire(flag)) waited = 1;
  return waited;
}
static _Thread_local int own;
static int global;
static void *waiter(void *a) {
  int result;
#if defined LOCAL
  int waited = 0;
  while (!acquire(flag)) waited = 1;
  result = waited;
#elif defined ADDRESS
  int waited = 0;
  while (!acquire(flag)) note(&waited);
  result = waited;
#elif defined ADDRESS_NOINLINE
  int waited = 0;
  while (!acquire(flag)) note_apart(&waited);
  result = waited;
#elif defined MEMBER
  struct pair pair = {0, 0};
  while (!acquire(flag)) note_apart(&pair.waited);
  result = pair.waited;
#elif defined CONTAINER
  struct pair pair = {0, 0};
  while (!acquire(flag)) note_around(&pair.link);
  result = pair.waited;
#elif defined ELEMENT
  int many[8] = {0}, index = 3;
  while (!acquire(flag)) many[index] = 1;
  result = many[3];
#elif defined THREAD_LOCAL
  while (!acquire(flag)) own = 1;
  result = own;
#elif defined GLOBAL
  while (!acquire(flag)) global = 1;
  result = global;
#elif defined HEAP
  int *waited = calloc(1, sizeof *waited);
  while (!acquire(flag)) *waited = 1;
  result = *waited;
  free(waited);
#elif defined HEAP_STRUCT
  struct pair *pair = malloc(sizeof *pair);
  pair->waited = 0;
  while (!acquire(flag)) note_around(&pair->link);
  result = pair->waited;
  free(pair);
#elif defined ALLOCA
  int *waited = alloca(sizeof(int) * 4);
  waited[2] = 0;
  while (!acquire(flag)) waited[2] = 1;
  result = waited[2];
#elif defined VARIABLE_LENGTH
  int length = a ? 3 : 5, many[length];
  many[1] = 0;
  while (!acquire(flag)) many[1] = 1;
  result = many[1];
#elif defined ARGUMENT
  result = wait_with(0);
#elif defined BITFIELD
  struct {
    unsigned waited : 1, rest : 3;
  } bits = {0, 0};
  while (!acquire(flag)) bits.waited = 1;
  result = bits.waited;
#endif
#ifdef ALLOWED
  assert(result <= 1);
#else
  assert(!result);
#endif
  return a;
}
static void set(void) { release(flag, 1); }
int main(void) { beside(waiter, set); }
