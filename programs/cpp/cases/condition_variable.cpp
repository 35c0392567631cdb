// expect verdict=holds
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex m;
std::condition_variable c;
bool ready;
int main() {
  std::thread t([] {
    std::unique_lock<std::mutex> lock(m);
    ready = true;
    c.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(m);
    c.wait(lock, [] { return ready; });
    assert(ready);
  }
  t.join();
}
