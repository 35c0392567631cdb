// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++20 with=gcc opt=0
// expect verdict=violated kind=race cflags=-std=c++20 cflags=-DWRONG with=gcc opt=0
#include <atomic>
#include <thread>
static int value;
static void add() { std::atomic_ref<int>(value).fetch_add(1, std::memory_order_relaxed); }
int main() {
  std::thread t(add);
#ifdef WRONG
  value++;
#else
  add();
#endif
  t.join();
  return value - 2;
}
