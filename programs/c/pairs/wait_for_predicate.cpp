// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=assertion cflags=-DWRONG with=gcc opt=0
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex lock;
static std::condition_variable cond;
static bool ready;
int main() {
  std::thread t([] {
    std::lock_guard<std::mutex> guard(lock);
    ready = true;
    cond.notify_one();
  });
  {
    std::unique_lock<std::mutex> guard(lock);
    bool got = cond.wait_for(guard, std::chrono::seconds(1), [] { return ready; });
#ifdef WRONG
    assert(got);
#else
    assert(got == ready);
#endif
  }
  t.join();
}
