// A thread that nobody waits for makes a static variable: its destructor may run when `main` returns, beside the thread.
// expect verdict=violated kind=race,use-after-free
// expect verdict=holds cflags=-DRIGHT
#include <memory>
#include <thread>

static std::unique_ptr<int> &get() {
  static std::unique_ptr<int> made(new int(1));
  return made;
}

int main() {
  std::thread thread([] { *get() = 1; });
#ifdef RIGHT
  thread.join();
#else
  thread.detach();
#endif
}
