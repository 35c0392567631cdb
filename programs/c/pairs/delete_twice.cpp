// A right form, and wrong ones: compilers leave out what they take for useless.
// expect verdict=holds cflags=-DWHAT=1
// expect verdict=violated kind=double-free cflags=-DWRONG cflags=-DWHAT=1 with=gcc
// expect verdict=holds cflags=-DWHAT=2
// expect verdict=violated kind=race cflags=-DWRONG cflags=-DWHAT=2 with=gcc
#include <thread>
#if WHAT == 2
struct Number {
  int value = 0;
  ~Number() { value = 2; }
} number;
#endif
int main() {
#if WHAT == 1
  int *one = new int;
  delete one;
#ifdef WRONG
  delete one;
#endif
#else
  std::thread thread([] { number.value++; });
#ifdef WRONG
  thread.detach();
#else
  thread.join();
#endif
#endif
}
