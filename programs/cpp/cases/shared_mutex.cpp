// expect verdict=holds cflags=-std=c++17
#include <cassert>
#include <shared_mutex>
#include <mutex>
#include <thread>
std::shared_mutex m;
int a, b;
int main() {
  std::thread w([] { std::unique_lock lock(m); a++; b++; });
  std::thread r([] { std::shared_lock lock(m); assert(a == b); });
  w.join();
  r.join();
}
