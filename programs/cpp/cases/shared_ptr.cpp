// expect verdict=holds flags=--leaks=error
#include <cassert>
#include <memory>
#include <thread>
int main() {
  auto p = std::make_shared<int>(3);
  std::thread t([p] { assert(*p == 3); });
  p.reset();
  t.join();
}
