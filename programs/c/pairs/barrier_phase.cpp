// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++20 with=gcc opt=0
// expect verdict=violated kind=race cflags=-std=c++20 cflags=-DWRONG with=gcc opt=0
#include <barrier>
#include <thread>
static int value[2];
int main() {
  std::barrier barrier(2);
  auto work = [&](int me) {
    value[me] = 1;
#ifndef WRONG
    barrier.arrive_and_wait();
#else
    (void)barrier.arrive();
#endif
    volatile int other = value[1 - me];
  };
  std::thread t(work, 0);
  work(1);
  t.join();
}
