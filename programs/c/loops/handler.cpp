// What only a handler of exceptions reads: the call that waits may end by an exception, and then it counts what the loop has
// seen in the last round.
// expect verdict=violated kind=assertion
// expect verdict=holds cflags=-DFIXED
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> flag;
struct Over {};
__attribute__((noinline)) static int look() {
  int now = flag.load(std::memory_order_acquire);
  if (now == 2) throw Over{};
  return now;
}
int main() {
  std::thread other([] {
    flag.store(1, std::memory_order_release);
    flag.store(2, std::memory_order_release);
  });
  int last = 0;
  try {
    for (;;) last = look();
  } catch (const Over &) {
#ifdef FIXED
    assert(last == 0 || last == 1);
#else
    assert(last != 1);
#endif
  }
  other.join();
}
