// expect verdict=holds cflags=-std=c++20
#include <cassert>
#include <latch>
#include <thread>
std::latch l{1};
int data;
int main() {
  std::thread t([] { data = 4; l.count_down(); });
  l.wait();
  assert(data == 4);
  t.join();
}
