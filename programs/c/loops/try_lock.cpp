// Locks of C++ that are tried until they are free.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DNEVER_FAILS
// expect verdict=violated kind=assertion cflags=-DUNIQUE cflags=-DNEVER_FAILS
// expect verdict=holds cflags=-DFLAG
// expect verdict=violated kind=assertion cflags=-DFLAG cflags=-DNEVER_FAILS
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#ifdef FLAG
struct Lock {
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  bool try_lock() { return !flag.test_and_set(std::memory_order_acquire); }
  void unlock() { flag.clear(std::memory_order_release); }
};
static Lock m;
#else
static std::mutex m;
#endif
static int x;
static void worker() {
  bool failed = false;
#ifdef UNIQUE
  std::unique_lock<std::mutex> lock(m, std::defer_lock);
  while (!lock.try_lock()) failed = true;
  x++;
  lock.unlock();
#else
  while (!m.try_lock()) failed = true;
  x++;
  m.unlock();
#endif
#ifdef NEVER_FAILS
  assert(!failed);
#else
  (void)failed;
#endif
}
int main() {
  std::thread t(worker);
  worker();
  t.join();
  assert(x == 2);
}
