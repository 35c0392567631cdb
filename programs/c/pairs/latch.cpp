// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++20 with=gcc opt=0
// expect verdict=violated kind=race cflags=-std=c++20 cflags=-DWRONG with=gcc opt=0
#include <latch>
#include <thread>
static int value;
int main() {
  std::latch latch(1);
  std::thread t([&] {
#ifdef WRONG
    latch.count_down();
    value = 1;
#else
    value = 1;
    latch.count_down();
#endif
  });
  latch.wait();
  int seen = value;
  t.join();
  return seen > 1;
}
