// expect verdict=holds cflags=-std=c++20
#include <barrier>
#include <cassert>
#include <thread>
std::barrier<> b{2};
int slots[2];
int main() {
  std::thread t([] { slots[0] = 1; b.arrive_and_wait(); assert(slots[1] == 1); });
  slots[1] = 1;
  b.arrive_and_wait();
  assert(slots[0] == 1);
  t.join();
}
