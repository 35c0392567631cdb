// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=assertion,race cflags=-DWRONG with=gcc opt=0
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>
static std::once_flag once;
static int tries, made;
static void make() {
  if (tries++ == 0) throw std::runtime_error("first");
  made++;
}
static void work() {
  try {
    std::call_once(once, make);
  } catch (...) {
#ifdef WRONG
    assert(made);
#endif
  }
}
int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(made == 1);
}
