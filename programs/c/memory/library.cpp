// The C++ library's own use of memory is right: functions, strings, containers, optional values, futures.
// expect verdict=holds cflags=-std=c++17
#include <any>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>
struct alignas(64) Wide { int x[16]; };
static int run() {
  std::function<int()> nothing = [] { return 1; };
  std::function<int()> moved = std::move(nothing), copied = moved;
  std::optional<int> none, other = none;
  std::optional<std::pair<int, long>> pair, pairs = pair;
  std::variant<int, double> variant, second = variant;
  std::any any = 5, empty;
  std::swap(any, empty);
  std::vector<std::string> words{"a", "a longer string that is on the heap"};
  words.push_back(words[1]);
  std::map<int, std::unique_ptr<Wide>> map;
  map[1] = std::make_unique<Wide>();
  auto shared = std::make_shared<Wide>();
  std::unique_ptr<int[]> array(new int[4]());
  return copied() + other.value_or(1) + (int)second.index() + (int)words.size() + (int)map.size() + array[2];
}
int main() {
  std::mutex m;
  std::condition_variable c;
  int sum = 0;
  std::thread t([&] {
    std::lock_guard<std::mutex> guard(m);
    sum += run();
    c.notify_one();
  });
  {
    std::unique_lock<std::mutex> guard(m);
    c.wait(guard, [&] { return sum > 0; });
    sum += run();
  }
  t.join();
  for (int i = 0; i < 2; i++) {
    std::condition_variable again;
    std::recursive_mutex recursive;
    std::lock_guard<std::recursive_mutex> guard(recursive);
    again.notify_all();
  }
  auto future = std::async(std::launch::async, run);
  return future.get() + sum == 1;
}
