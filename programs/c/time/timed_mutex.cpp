// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
// expect verdict=holds cflags=-DUNTIL
// expect verdict=violated kind=assertion cflags=-DUNTIL cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DUNTIL cflags=-DNO_SUCCESS
// expect verdict=holds cflags=-DTYPE=std::recursive_timed_mutex
// expect verdict=violated kind=assertion cflags=-DTYPE=std::recursive_timed_mutex cflags=-DNO_TIMEOUT
// expect verdict=holds cflags=-DTYPE=std::shared_timed_mutex
// expect verdict=violated kind=assertion cflags=-DTYPE=std::shared_timed_mutex cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DTYPE=std::shared_timed_mutex cflags=-DUNTIL cflags=-DNO_SUCCESS
#include "outcome.h"
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#ifndef TYPE
#define TYPE std::timed_mutex
#endif
static TYPE mutex;

int main() {
  using namespace std::chrono_literals;
  std::thread thread([] { std::lock_guard<TYPE> lock(mutex); });
  auto begin = std::chrono::steady_clock::now();
#ifdef UNTIL
  bool success = mutex.try_lock_until(begin + 50ms);
#else
  bool success = mutex.try_lock_for(50ms);
#endif
  if (!success) assert(std::chrono::steady_clock::now() - begin >= 50ms);
  outcome(success);
  if (success) mutex.unlock();
  thread.join();
}
