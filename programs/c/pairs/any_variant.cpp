// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++17 with=gcc opt=0
// expect verdict=violated kind=race cflags=-std=c++17 cflags=-DWRONG with=gcc opt=0
#include <any>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
static std::variant<int, std::string> value;
static std::any thing;
static std::mutex lock;
int main() {
  std::thread t([] {
    std::lock_guard<std::mutex> guard(lock);
    value = std::string("a text that is long enough for the heap");
    thing = 5;
  });
  {
#ifndef WRONG
    std::lock_guard<std::mutex> guard(lock);
#endif
    volatile bool has = thing.has_value();
    volatile auto index = value.index();
  }
  t.join();
}
