// A loop that asks a future again and again.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DASSERT
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread thread([&] { promise.set_value(1); });
  int rounds = 0;
  while (future.wait_for(std::chrono::milliseconds(0)) != std::future_status::ready) {
    rounds = 1;
    std::this_thread::yield();
  }
#ifdef ASSERT
  assert(rounds == 0);
#endif
  assert(future.get() == 1);
  thread.join();
}
