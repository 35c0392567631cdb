// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=abort cflags=-DWRONG with=gcc opt=0
#include <stdexcept>
#include <thread>
int main() {
  std::thread t([] {
#ifndef WRONG
    try {
#endif
      throw std::runtime_error("lost");
#ifndef WRONG
    } catch (const std::exception &) {
    }
#endif
  });
  t.join();
}
