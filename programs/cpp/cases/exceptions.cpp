// expect verdict=holds
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>
std::mutex m;
int caught;
void work(int limit) {
  try {
    std::lock_guard<std::mutex> guard(m);
    if (limit > 0) throw std::runtime_error("too much");
  } catch (const std::runtime_error &error) {
    std::lock_guard<std::mutex> guard(m);
    caught++;
    assert(error.what()[0] == 't');
  }
}
int main() {
  std::thread a(work, 1), b(work, 0);
  a.join();
  b.join();
  assert(caught == 1);
}
