// Results that a C++ compiler builds in place, which it does not instrument.
// expect verdict=violated kind=race cflags=-DIN_PLACE cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DIN_PLACE cflags=-DFREED
// expect verdict=holds cflags=-DIN_PLACE
// expect verdict=violated kind=race cflags=-DSMALL_IN_PLACE cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DSMALL_IN_PLACE cflags=-DFREED
// expect verdict=holds cflags=-DSMALL_IN_PLACE
// expect verdict=violated kind=race cflags=-DMEMBER cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DMEMBER cflags=-DFREED
// expect verdict=holds cflags=-DMEMBER
#include <cstring>
#include <mutex>
#include <new>
#include <thread>
struct Small { int first; };
struct Large { long values[6]; };
struct Both { int zero; Small small; Large large; };
Both *shared;
std::mutex lock;
volatile long sink;

__attribute__((noinline)) Small make_small() { return Small{(int)sink}; }
__attribute__((noinline)) Large make_large() { return Large{{sink, sink, sink, sink, sink, sink}}; }

__attribute__((noinline)) void touch(Both *p) {
#if defined IN_PLACE
  new (&p->large) Large(make_large());
#elif defined SMALL_IN_PLACE
  new (&p->small) Small(make_small());
#else
  new (p) Both{0, make_small(), make_large()};
#endif
}

static void other() {
#ifndef RACE
  std::lock_guard<std::mutex> guard(lock);
#endif
  std::memset(&shared->small, 1, sizeof(Both) - offsetof(Both, small));
}

int main() {
  Both *p = new Both();
  shared = p;
#ifdef FREED
  delete p;
  touch(p);
#else
  std::thread thread(other);
  {
    std::lock_guard<std::mutex> guard(lock);
    touch(p);
  }
  thread.join();
  delete p;
#endif
}
