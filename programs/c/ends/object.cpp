// A global object is destroyed at the end, whichever way the compiler arranges that.
// expect verdict=violated kind=race
// expect verdict=violated kind=race cflags=-fno-use-cxa-atexit
// expect verdict=holds cflags=-DJOIN
// expect verdict=holds cflags=-DJOIN cflags=-fno-use-cxa-atexit
// expect verdict=violated kind=assertion cflags=-DJOIN cflags=-DASSERT
// expect verdict=violated kind=assertion cflags=-DJOIN cflags=-DASSERT cflags=-fno-use-cxa-atexit
#include <cassert>
#include <pthread.h>

int value;

struct Object {
  Object() { value = 1; }
  ~Object() {
    value = 0;
#ifdef ASSERT
    assert(value);
#endif
  }
};
static Object object;

static void *run(void *argument) {
  value = 2;
  return argument;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, run, nullptr);
#ifdef JOIN
  pthread_join(thread, nullptr);
#endif
}
