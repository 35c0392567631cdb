// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DASSERT
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

static std::atomic<int> flag;

int main() {
  using namespace std::chrono_literals;
  std::thread thread([] { flag = 1; });
  auto begin = std::chrono::system_clock::now();
  std::this_thread::sleep_until(begin + 1h);
  assert(std::chrono::system_clock::now() >= begin + 1h);
  auto middle = std::chrono::high_resolution_clock::now();
  std::this_thread::sleep_for(20ms);
  assert(std::chrono::high_resolution_clock::now() - middle >= 20ms);
#ifdef ASSERT
  assert(flag);
#endif
  thread.join();
}
