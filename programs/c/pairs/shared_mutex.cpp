// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++17 with=gcc opt=0
// expect verdict=violated kind=race cflags=-std=c++17 cflags=-DWRONG with=gcc opt=0
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex lock;
static int value;
static void work() {
#ifdef WRONG
  std::shared_lock<std::shared_mutex> guard(lock);
#else
  std::unique_lock<std::shared_mutex> guard(lock);
#endif
  value++;
}
int main() {
  std::thread t(work);
  work();
  t.join();
}
