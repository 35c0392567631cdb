// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=abort cflags=-DWRONG with=gcc opt=0
#include <future>
#include <thread>
int main() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread t([p = std::move(promise)]() mutable {
#ifndef WRONG
    p.set_value(3);
#endif
  });
  t.join();
  return future.get() - 3;
}
