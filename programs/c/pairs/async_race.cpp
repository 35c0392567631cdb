// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <future>
static int value;
int main() {
  auto future = std::async(std::launch::async, [] { value = 1; });
#ifdef WRONG
  int seen = value;
  future.get();
#else
  future.get();
  int seen = value;
#endif
  return seen > 1;
}
