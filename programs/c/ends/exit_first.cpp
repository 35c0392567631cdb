// std::exit in a thread destroys what is static, while `main` goes on; and first what is of the thread that calls it.
// expect verdict=violated kind=race
// expect verdict=holds cflags=-DRIGHT
// expect verdict=violated kind=assertion cflags=-DLOCAL
// expect verdict=violated kind=assertion cflags=-DLOCAL cflags=-DIN_MAIN
#include <cassert>
#include <cstdlib>
#include <memory>
#include <thread>

static std::unique_ptr<int> shared(new int(1));

struct Local {
  int value = 1;
  ~Local() { assert(value == 2); }
};
static thread_local Local local;

int main() {
#ifdef LOCAL
#ifdef IN_MAIN
  local.value = 3;
  std::exit(0);
#else
  std::thread thread([] {
    local.value = 3;
    std::exit(1);
  });
  thread.join();
#endif
#else
  std::thread thread([] { std::exit(1); });
#ifndef RIGHT
  *shared = 2;
#endif
  thread.detach();
#endif
}
