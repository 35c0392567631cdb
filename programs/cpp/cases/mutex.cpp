// expect verdict=holds executions=2
#include <cassert>
#include <mutex>
#include <thread>
std::mutex m;
int counter;
void work() {
  std::lock_guard<std::mutex> guard(m);
  counter++;
}
int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(counter == 2);
}
