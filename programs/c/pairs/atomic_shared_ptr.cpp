// A counter in objects that are replaced by compare-and-exchange; and by a read and a write, which loses one.
// expect verdict=holds cflags=-std=c++20
// expect verdict=violated kind=assertion cflags=-std=c++20 cflags=-DWRONG
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
static std::atomic<std::shared_ptr<int>> current;
static void add() {
  auto old = current.load();
#ifdef WRONG
  current.store(std::make_shared<int>(*old + 1));
#else
  while (!current.compare_exchange_weak(old, std::make_shared<int>(*old + 1))) {
  }
#endif
}
int main() {
  current.store(std::make_shared<int>(0));
  std::thread other(add);
  add();
  other.join();
  assert(*current.load() == 2);
}
