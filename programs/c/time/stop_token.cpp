// A thread that waits with a deadline in a loop, until it is asked to stop.
// expect verdict=holds cflags=-std=c++20
// expect verdict=violated kind=assertion cflags=-std=c++20 cflags=-DASSERT
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any cond;
static bool timed_out;

int main() {
  std::jthread thread([](std::stop_token stop) {
    std::unique_lock<std::mutex> lock(mutex);
    bool stopped = cond.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    assert(!stopped);
    timed_out = !stop.stop_requested();
  });
  thread.request_stop();
  thread.join();
#ifdef ASSERT
  assert(!timed_out);
#endif
}
