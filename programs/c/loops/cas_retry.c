// Retries an exchange while somebody stores K values: it ends by reading one of K + 1.
// expect verdict=holds executions=2 cflags=-DK=1 cflags=-DNO_RELOAD
// expect verdict=holds executions=4 cflags=-DK=3 cflags=-DNO_RELOAD
// expect verdict=holds executions=7 cflags=-DK=6 cflags=-DNO_RELOAD
// expect verdict=holds executions=2 cflags=-DK=1 cflags=-DRELOAD
// expect verdict=holds executions=4 cflags=-DK=3 cflags=-DRELOAD
// expect verdict=holds executions=7 cflags=-DK=6 cflags=-DRELOAD
// expect verdict=holds executions=4 cflags=-DK=3 cflags=-DNO_RELOAD cflags=-Dstrong=weak
// expect verdict=holds executions=4 cflags=-DK=3 cflags=-DRELOAD cflags=-Dstrong=weak
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DNO_RELOAD cflags=-DNEVER_FAILS
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DRELOAD cflags=-DNEVER_FAILS
// expect verdict=violated kind=assertion cflags=-DK=2 cflags=-DRELOAD cflags=-DNEVER_SEES=1
// expect verdict=violated kind=assertion cflags=-DK=2 cflags=-DNO_RELOAD cflags=-DNEVER_SEES=1
// expect verdict=violated kind=assertion cflags=-DK=2 cflags=-DNO_RELOAD cflags=-DNEVER_TWICE
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DNO_RELOAD cflags=-DNEVER_FAILS cflags=-DWHERE=static
// expect verdict=violated kind=assertion cflags=-DK=1 cflags=-DRELOAD cflags=-DNEVER_FAILS cflags=-DWHERE=static
#include "loops.h"
#define JOIN(a, b) a##b
#define NAME(kind) JOIN(atomic_compare_exchange_, kind)
#ifndef WHERE
#define WHERE
#endif
atomic_int x;
static void *writer(void *a) {
  for (int i = 1; i <= K; i++) x = i;
  return a;
}
static void retry(void) {
  WHERE int failed = 0, lost = -1;
#ifdef NO_RELOAD
  int r = x;
  while (!NAME(strong)(&x, &r, 100 + r)) {
#else
  int r;
  while (r = x, !NAME(strong)(&x, &r, 100 + r)) {
#endif
#if defined NEVER_FAILS || defined NEVER_TWICE
    if (failed < 2) failed++;
#elif defined NEVER_SEES
    lost = r;
#endif
  }
#if defined NEVER_FAILS
  assert(failed == 0);
#elif defined NEVER_TWICE
  assert(failed < 2);
#elif defined NEVER_SEES
  assert(lost != NEVER_SEES);
#endif
  (void)failed, (void)lost;
}
int main(void) { beside(writer, retry); }
