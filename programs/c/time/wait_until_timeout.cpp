// Nobody notifies: the wait times out, and says so.
// expect verdict=holds everywhere
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>

static std::mutex mutex;
static std::condition_variable cond;

int main() {
  std::unique_lock<std::mutex> lock(mutex);
  assert(cond.wait_for(lock, std::chrono::milliseconds(1)) == std::cv_status::timeout);
  assert(!cond.wait_until(lock, std::chrono::steady_clock::now() + std::chrono::hours(1), [] { return false; }));
  assert(lock.owns_lock());
}
