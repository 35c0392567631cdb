// A constructor has looked at the clock: from then on time may pass.
// expect verdict=violated kind=assertion
// expect verdict=holds executions=2 cflags=-DRIGHT
#include <assert.h>
#include <time.h>

static time_t begin;
__attribute__((constructor)) static void start(void) { begin = time(0); }

int main(void) {
#ifdef RIGHT
  assert(time(0) >= begin);
#else
  assert(time(0) - begin < 10);
#endif
}
