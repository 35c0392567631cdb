// An object that may be gone.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=use-after-free,race cflags=-DWRONG with=gcc opt=0
#include <memory>
#include <thread>
int main() {
  std::shared_ptr<int> owner(new int(5));
  std::weak_ptr<int> weak = owner;
  int *raw = owner.get();
  std::thread t([weak, raw] {
#ifdef WRONG
    volatile int value = *raw;
#else
    if (auto strong = weak.lock()) {
      volatile int value = *strong;
    }
#endif
  });
  owner.reset();
  t.join();
}
