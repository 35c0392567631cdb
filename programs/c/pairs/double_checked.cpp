// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <atomic>
#include <mutex>
#include <thread>
#ifdef WRONG
static int *instance;
#else
static std::atomic<int *> instance;
#endif
static std::mutex lock;
static int get() {
  if (!instance) {
    std::lock_guard<std::mutex> guard(lock);
    if (!instance) instance = new int(3);
  }
  return *instance;
}
int main() {
  std::thread t(get);
  get();
  t.join();
}
