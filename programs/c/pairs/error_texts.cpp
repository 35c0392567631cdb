// Two threads ask for the texts of errors, which the C++ library gets from strerror and copies. Wrong: they call strerror
// themselves.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
#include <cassert>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
static void work() {
#ifdef WRONG
  assert(*std::strerror(2) != 0);
#else
  assert(std::error_code(2, std::generic_category()).message() == "No such file or directory");
  std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  bool caught = false;
  try {
    lock.lock();
  } catch (const std::system_error &error) {
    caught = !std::string(error.what()).empty();
  }
  assert(caught);
#endif
}
int main() {
  std::thread other(work);
  work();
  other.join();
}
