// expect verdict=holds cflags=-std=c++20
// expect verdict=violated kind=assertion cflags=-std=c++20 cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-std=c++20 cflags=-DNO_SUCCESS
// expect verdict=holds cflags=-std=c++20 cflags=-DUNTIL
// expect verdict=violated kind=assertion cflags=-std=c++20 cflags=-DUNTIL cflags=-DNO_TIMEOUT
#include "outcome.h"
#include <chrono>
#include <semaphore>
#include <thread>

static std::counting_semaphore<4> semaphore(0);

int main() {
  using namespace std::chrono_literals;
  std::thread thread([] { semaphore.release(); });
  auto begin = std::chrono::steady_clock::now();
#ifdef UNTIL
  bool success = semaphore.try_acquire_until(begin + 10s);
#else
  bool success = semaphore.try_acquire_for(10s);
#endif
  if (!success) assert(std::chrono::steady_clock::now() - begin >= 10s);
  outcome(success);
  thread.join();
}
