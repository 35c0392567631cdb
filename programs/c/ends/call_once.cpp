// A function that fails is called again by whoever comes next, also if that one waits already.
// expect verdict=holds everywhere
// expect verdict=violated kind=assertion cflags=-DASSERT
// expect verdict=holds cflags=-DTHREADS
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int done, failed;
static std::atomic<int> calls;

static void initialise() {
  if (calls++ == 0) throw 1;
  done++;
}

static void attempt() {
  try {
    std::call_once(flag, initialise);
  } catch (int) {
    failed++;
  }
}

int main() {
  std::thread thread(attempt);
#ifdef THREADS
  std::thread other(attempt);
  other.join();
  thread.join();
  attempt();
#else
  attempt();
  thread.join();
#endif
  assert(done == 1 && failed == 1);
#ifdef ASSERT
  assert(done != 1);
#endif
}
