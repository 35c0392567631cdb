// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++20 with=gcc opt=0
// expect verdict=violated kind=deadlock cflags=-std=c++20 cflags=-DWRONG with=gcc opt=0
#include <atomic>
#include <thread>
static std::atomic<int> flag;
int main() {
  std::thread t([] {
    flag.store(1);
#ifndef WRONG
    flag.notify_one();
#endif
  });
  flag.wait(0);
  t.join();
}
