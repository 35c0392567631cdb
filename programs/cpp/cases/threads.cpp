// expect verdict=holds
#include <cassert>
#include <thread>
#include <atomic>
std::atomic<int> counter{0};
int main() {
  std::thread a([] { counter++; }), b([] { counter += 2; });
  a.join();
  b.join();
  assert(counter == 3);
}
