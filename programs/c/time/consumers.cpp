// Two consumers wait with a deadline for one item.
// expect verdict=holds
// expect verdict=violated kind=assertion cflags=-DASSERT
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;
static int items, taken, missed;

static void consume() {
  std::unique_lock<std::mutex> lock(mutex);
  if (cond.wait_for(lock, std::chrono::seconds(1), [] { return items > 0; })) {
    items--;
    taken++;
  } else {
    missed++;
  }
}

int main() {
  std::thread one(consume), other(consume);
  {
    std::lock_guard<std::mutex> lock(mutex);
    items++;
    cond.notify_one();
  }
  one.join();
  other.join();
  assert(taken + missed == 2 && taken + items == 1);
#ifdef ASSERT
  assert(taken == 1);
#endif
}
