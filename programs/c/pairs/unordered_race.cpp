// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <thread>
#include <unordered_map>
static std::unordered_map<int, int> table{{1, 1}};
int main() {
  std::thread t([] {
#ifdef WRONG
    table[2] = 3;
#else
    volatile auto n = table.count(1);
#endif
  });
  volatile auto n = table.count(1);
  t.join();
}
