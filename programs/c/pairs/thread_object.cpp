// An object of std::thread is changed by join and detach. Wrong: another thread looks at it meanwhile, or both end it.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG
// expect verdict=violated kind=race cflags=-DDETACHES
// expect verdict=violated kind=race cflags=-DBOTH
#include <cassert>
#include <system_error>
#include <thread>
static std::thread first;
int main() {
  first = std::thread([] {});
  std::thread second([] {
#ifdef BOTH
    if (first.joinable()) first.detach();
#elif defined WRONG || defined DETACHES
    volatile bool is_joinable = first.joinable();
    (void)is_joinable;
#endif
  });
#ifdef BOTH
  if (first.joinable()) first.join();
#elif defined DETACHES
  first.detach();
#else
  first.join();
#endif
  second.join();
  assert(!second.joinable());
  int code = 0;
  try {
    second.join();
  } catch (const std::system_error &error) {
    code = error.code().value();
  }
  assert(code == static_cast<int>(std::errc::invalid_argument));
}
