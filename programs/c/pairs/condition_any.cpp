// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=deadlock cflags=-DWRONG with=gcc opt=0
#include <condition_variable>
#include <mutex>
#include <thread>
static std::recursive_mutex lock;
static std::condition_variable_any cond;
static bool ready;
int main() {
  std::thread t([] {
    std::unique_lock<std::recursive_mutex> guard(lock);
    ready = true;
#ifndef WRONG
    cond.notify_one();
#endif
  });
  {
    std::unique_lock<std::recursive_mutex> guard(lock);
    cond.wait(guard, [] { return ready; });
  }
  t.join();
}
