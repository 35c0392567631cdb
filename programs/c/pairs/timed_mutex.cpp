// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=misuse cflags=-DWRONG with=gcc opt=0
#include <chrono>
#include <mutex>
#include <thread>
static std::timed_mutex lock;
int main() {
  std::thread t([] {
    std::lock_guard<std::timed_mutex> guard(lock);
  });
#ifdef WRONG
  (void)lock.try_lock_for(std::chrono::milliseconds(5));
  lock.unlock();
#else
  if (lock.try_lock_for(std::chrono::milliseconds(5))) lock.unlock();
#endif
  t.join();
}
