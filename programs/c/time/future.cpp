// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT everywhere
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
// expect verdict=holds cflags=-DUNTIL
// expect verdict=violated kind=assertion cflags=-DUNTIL cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DUNTIL cflags=-DNO_SUCCESS
#include "outcome.h"
#include <chrono>
#include <future>
#include <thread>

int main() {
  using namespace std::chrono_literals;
  std::promise<int> promise;
  auto future = promise.get_future();
  auto begin = std::chrono::system_clock::now();
  std::thread thread([&] { promise.set_value(1); });
#ifdef UNTIL
  auto status = future.wait_until(begin + 3ms);
#else
  auto status = future.wait_for(3ms);
#endif
  assert(status == std::future_status::ready || status == std::future_status::timeout);
  if (status == std::future_status::timeout) assert(std::chrono::system_clock::now() >= begin + 3ms);
  outcome(status == std::future_status::ready);
  assert(future.get() == 1);
  thread.join();
}
