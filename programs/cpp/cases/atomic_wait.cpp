// expect verdict=holds cflags=-std=c++20
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> flag{0};
int data;
int main() {
  std::thread t([] { data = 4; flag.store(1, std::memory_order_release); flag.notify_one(); });
  flag.wait(0, std::memory_order_acquire);
  assert(data == 4);
  t.join();
}
