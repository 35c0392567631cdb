// The order of threads' ids is not fixed: a program that depends on it is checked in both orders.
// expect verdict=violated kind=assertion
// expect verdict=violated kind=assertion cflags=-DOTHER
// expect verdict=holds cflags=-DRIGHT
#include <cassert>
#include <thread>

static std::thread::id one, two;

int main() {
  std::thread first([] { one = std::this_thread::get_id(); }), second([] { two = std::this_thread::get_id(); });
  first.join();
  second.join();
#if defined RIGHT
  assert(one != two);
#elif defined OTHER
  assert(two < one);
#else
  assert(one < two);
#endif
}
