// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=abort cflags=-DWRONG with=gcc opt=0
#include <future>
int main() {
  std::promise<int> promise;
  auto future = promise.get_future();
  promise.set_value(3);
#ifdef WRONG
  promise.set_value(4);
#endif
  return future.get() - 3;
}
