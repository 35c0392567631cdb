// expect verdict=violated kind=race line=13
// expect verdict=violated kind=race line=13 cflags=-DFILL
// expect verdict=violated kind=race line=13 cflags=-DCOPY
// A small object is filled or copied as a whole, and another thread reads a part of it.
#include <algorithm>
#include <cstring>
#include <thread>
struct Small { int a, b, c, d; } small, other;
static int parts[4];

int main() {
  std::thread thread([] {
    int value = parts[2] + small.c; if (value == 7) std::abort();
  });
#ifdef FILL
  std::fill(parts, parts + 4, 1);
#elif defined COPY
  std::copy(&other, &other + 1, &small);
#else
  std::memset(&small, 0, sizeof small);
#endif
  thread.join();
}
