// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
#include "outcome.h"
#include <chrono>
#include <shared_mutex>
#include <thread>

static std::shared_timed_mutex mutex;

int main() {
  using namespace std::chrono_literals;
  std::thread thread([] {
    mutex.lock();
    mutex.unlock();
  });
  std::shared_lock<std::shared_timed_mutex> lock(mutex, 1s);
  outcome(lock.owns_lock());
  if (lock.owns_lock()) lock.unlock();
  thread.join();
}
