// What a poller has seen is kept in an object, which is on the heap because the thread is given it.
// expect verdict=holds
// expect verdict=holds cflags=-DONE
#include <mutex>
#include <thread>
static std::mutex m;
static bool ready;
struct poller {
  bool seen = false;
  void operator()() {
    while (!seen) {
      std::lock_guard<std::mutex> l(m);
      seen = ready;
    }
  }
};
int main() {
  std::thread a{poller{}};
#ifndef ONE
  std::thread b{poller{}};
#endif
  {
    std::lock_guard<std::mutex> l(m);
    ready = true;
  }
  a.join();
#ifndef ONE
  b.join();
#endif
}
