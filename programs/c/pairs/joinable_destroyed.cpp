// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=abort cflags=-DWRONG with=gcc opt=0
#include <thread>
int main() {
  std::thread t([] {});
#ifndef WRONG
  t.join();
#endif
}
