// A right form, and wrong ones: semaphores are released beyond what they can be, and a latch is counted down below zero.
// expect verdict=holds cflags=-std=c++20
// expect verdict=violated kind=misuse mentions=max() cflags=-DWRONG=1 cflags=-std=c++20
// expect verdict=violated kind=misuse mentions=max() cflags=-DWRONG=2 cflags=-std=c++20
// expect verdict=violated kind=misuse mentions=below line=46 cflags=-DWRONG=3 cflags=-std=c++20
// expect verdict=violated kind=misuse mentions=below cflags=-DWRONG=4 cflags=-std=c++20
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>
#ifndef WRONG
#define WRONG 0
#endif
int main() {
  std::counting_semaphore<2> places(1);
  std::binary_semaphore ready(0);
  std::latch done(2);
  static_assert(std::binary_semaphore::max() == 1 && sizeof(std::latch) == sizeof(int));
  int data = 0;
  std::thread thread([&] {
    places.release();
#if WRONG == 1
    places.release();
#endif
    data = 1;
    ready.release();
#if WRONG == 2
    ready.release();
#endif
    done.count_down();
#if WRONG == 4
    // Of three that come, whichever is last is one too many.
    done.count_down();
#endif
  });
  ready.acquire();
  assert(data == 1);
  places.acquire();
  assert(places.try_acquire());
#if WRONG == 4
  done.count_down();
#else
  done.arrive_and_wait();
#endif
#if WRONG == 3
  done.count_down();
#endif
  thread.join();
}
