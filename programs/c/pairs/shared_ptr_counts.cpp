// Copies of a shared_ptr may be dropped anywhere; what it points to is not protected.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
#include <memory>
#include <thread>
int main() {
  auto shared = std::make_shared<int>(1);
  std::thread t([copy = shared]() mutable {
#ifdef WRONG
    ++*copy;
#endif
    copy.reset();
  });
  int value = *shared;
  shared.reset();
  t.join();
  return value > 2;
}
