// Waits of a std::condition_variable, with and without a predicate.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
// expect verdict=holds cflags=-DUNTIL
// expect verdict=violated kind=assertion cflags=-DUNTIL cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DUNTIL cflags=-DNO_SUCCESS
// expect verdict=holds cflags=-DPREDICATE
// expect verdict=violated kind=assertion cflags=-DPREDICATE cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DPREDICATE cflags=-DNO_SUCCESS
#include "outcome.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;
static bool ready;

int main() {
  using namespace std::chrono_literals;
  std::unique_lock<std::mutex> lock(mutex);
  std::thread thread([] {
    std::lock_guard<std::mutex> lock(mutex);
    ready = true;
    cond.notify_one();
  });
  auto begin = std::chrono::steady_clock::now();
#if defined UNTIL
  bool success = cond.wait_until(lock, std::chrono::system_clock::now() + 2s) == std::cv_status::no_timeout;
#elif defined PREDICATE
  bool success = cond.wait_for(lock, 2s, [] { return ready; });
#else
  bool success = cond.wait_for(lock, 2s) == std::cv_status::no_timeout;
#endif
  assert(!success || ready);
  assert(success || std::chrono::steady_clock::now() - begin >= 2s);
  outcome(success);
  lock.unlock();
  thread.join();
}
