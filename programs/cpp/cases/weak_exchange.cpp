// expect verdict=holds
// expect verdict=violated kind=assertion flags=--spurious-failures
// expect verdict=holds flags=--spurious-failures cflags=-DSTRONG
#include <atomic>
#include <cassert>
std::atomic<int> number;
std::atomic<int *> pointer;
struct Pair { long first, second; };
std::atomic<Pair> pair;
int main() {
#ifdef STRONG
  int zero = 0;
  assert(number.compare_exchange_strong(zero, 1));
#else
  int *null = nullptr, one = 1;
  assert(pointer.compare_exchange_weak(null, &one));
  Pair expected{0, 0};
  assert(pair.compare_exchange_weak(expected, Pair{1, 2}));
#endif
}
