// An object that is held, or waited for, or used by somebody at the same time, must not be destroyed.
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=1 cflags=-DHELD
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=2 cflags=-DHELD
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=9 cflags=-DHELD
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=6 cflags=-DHELD
// expect verdict=violated kind=misuse mentions=destroyed cflags=-DKIND=7 cflags=-DHELD
// expect verdict=violated kind=race,misuse cflags=-DKIND=1
// expect verdict=violated kind=race,misuse cflags=-DKIND=2
// expect verdict=violated kind=race,misuse cflags=-DKIND=4
// expect verdict=violated kind=race,misuse cflags=-DKIND=5
// expect verdict=violated kind=race,misuse cflags=-DKIND=6
// expect verdict=violated kind=race,misuse cflags=-DKIND=7
// expect verdict=violated kind=race,misuse cflags=-DKIND=9
// expect verdict=holds cflags=-DKIND=1 cflags=-DJOIN
// expect verdict=holds cflags=-DKIND=2 cflags=-DJOIN
// expect verdict=holds cflags=-DKIND=3 cflags=-DJOIN
// expect verdict=holds cflags=-DKIND=4 cflags=-DJOIN
// expect verdict=holds cflags=-DKIND=5 cflags=-DJOIN
// expect verdict=holds cflags=-DKIND=6 cflags=-DJOIN
// expect verdict=holds cflags=-DKIND=9 cflags=-DJOIN
#include "primitives.h"
static object x;
static void *use(void *a) {
  take(&x);
  give(&x);
  return a;
}
int main(void) {
  pthread_t t;
  make(&x);
#ifdef HELD
  take(&x);
  end(&x);
#else
  pthread_create(&t, 0, use, 0);
#ifdef JOIN
  pthread_join(t, 0);
  end(&x);
#else
  end(&x);
  pthread_join(t, 0);
#endif
#endif
  return 0;
}
