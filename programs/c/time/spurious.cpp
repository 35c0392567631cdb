// expect verdict=holds says=spurious.cpp:
// expect verdict=violated kind=assertion flags=--spurious-wakeups=1
// expect verdict=holds cflags=-DPREDICATE silent=spurious.cpp
// expect verdict=holds cflags=-DPREDICATE flags=--spurious-wakeups=1
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;
static bool ready;

int main() {
  std::thread thread([] {
    std::lock_guard<std::mutex> lock(mutex);
    ready = true;
    cond.notify_all();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
#ifdef PREDICATE
    cond.wait(lock, [] { return ready; });
#else
    if (!ready) cond.wait(lock);
#endif
    assert(ready);
  }
  thread.join();
}
