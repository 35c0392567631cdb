// A shared_ptr itself is no atomic variable.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
#include <memory>
#include <mutex>
#include <thread>
static std::shared_ptr<int> shared = std::make_shared<int>(1);
static std::mutex lock;
int main() {
  std::thread t([] {
    std::lock_guard<std::mutex> guard(lock);
    shared = std::make_shared<int>(2);
  });
  std::shared_ptr<int> mine;
  {
#ifndef WRONG
    std::lock_guard<std::mutex> guard(lock);
#endif
    mine = shared;
  }
  t.join();
  return *mine > 2;
}
