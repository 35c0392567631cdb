// Takes two locks without a deadlock, in whatever order they are named: tries, gives back, tries again.
// expect verdict=holds cflags=-DSCOPED cflags=-std=c++17
// expect verdict=holds cflags=-DFUNCTION cflags=-std=c++17
// expect verdict=holds cflags=-DSCOPED cflags=-DSAME_ORDER cflags=-std=c++17
// expect verdict=violated kind=deadlock cflags=-DONE_BY_ONE cflags=-std=c++17
// expect verdict=violated kind=race cflags=-DSCOPED cflags=-DOUTSIDE cflags=-std=c++17
#include <cassert>
#include <mutex>
#include <thread>
static std::mutex a, b;
static int x;
static void both(std::mutex &first, std::mutex &second) {
#if defined SCOPED
  std::scoped_lock guard(first, second);
  x++;
#elif defined FUNCTION
  std::lock(first, second);
  x++;
  second.unlock();
  first.unlock();
#else
  std::lock_guard<std::mutex> one(first), two(second);
  x++;
#endif
}
int main() {
  std::thread t([] { both(a, b); });
#ifdef SAME_ORDER
  both(a, b);
#else
  both(b, a);
#endif
#ifdef OUTSIDE
  x++;
#endif
  t.join();
  assert(x >= 2);
}
