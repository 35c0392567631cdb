// Destructors of thread-local objects run at the end of the thread, before it can be joined.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DASSERT
#include <cassert>
#include <thread>

static int destroyed;

struct Local {
  int value = 1;
  ~Local() { destroyed += value; }
};
static thread_local Local local;

int main() {
  std::thread thread([] { local.value = 3; });
  thread.join();
  assert(destroyed == 3);
#ifdef ASSERT
  assert(destroyed != 3);
#endif
}
