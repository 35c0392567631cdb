// expect verdict=violated kind=race
// expect verdict=holds cflags=-DJOIN
// A global object is destroyed when main returns, whatever threads there are.
#include <thread>
int last;
struct Counter {
  int value = 0;
  ~Counter() { last = value; }
};
static Counter counter;
int main() {
  std::thread thread([] { counter.value++; });
#ifdef JOIN
  thread.join();
#else
  thread.detach();
#endif
}
