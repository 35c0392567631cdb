// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++20 with=gcc opt=0
// expect verdict=violated kind=assertion cflags=-std=c++20 cflags=-DWRONG with=gcc opt=0
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>
static std::counting_semaphore<4> sem(0);
static int value;
int main() {
  std::thread t([] {
    value = 1;
    sem.release();
  });
  bool got = sem.try_acquire_for(std::chrono::milliseconds(1));
#ifdef WRONG
  assert(got);
#else
  if (got) assert(value == 1);
#endif
  t.join();
}
