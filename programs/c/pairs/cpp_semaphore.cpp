// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++20 with=gcc opt=0
// expect verdict=violated kind=race cflags=-std=c++20 cflags=-DWRONG with=gcc opt=0
#include <semaphore>
#include <thread>
static int value;
static std::binary_semaphore
#ifdef WRONG
    lock(2 - 1),
    extra(1);
#else
    lock(1),
    &extra = lock;
#endif
int main() {
  std::thread t([] {
    lock.acquire();
    value++;
    lock.release();
  });
  extra.acquire();
  value++;
  extra.release();
  t.join();
}
