// expect verdict=holds
#include <cassert>
#include <future>
int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread t([&] { promise.set_value(9); });
  assert(future.get() == 9);
  t.join();
}
