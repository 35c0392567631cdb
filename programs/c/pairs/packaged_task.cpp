// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=assertion cflags=-DWRONG with=gcc opt=0
#include <cassert>
#include <chrono>
#include <future>
#include <thread>
int main() {
  std::packaged_task<int()> task([] { return 5; });
  auto future = task.get_future();
  std::thread t(std::move(task));
  auto status = future.wait_for(std::chrono::seconds(1));
#ifdef WRONG
  assert(status == std::future_status::ready);
#else
  assert(status == std::future_status::ready || status == std::future_status::timeout);
#endif
  assert(future.get() == 5);
  t.join();
}
