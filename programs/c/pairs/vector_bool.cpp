// Two bits of one byte.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <thread>
#include <vector>
#ifdef WRONG
static std::vector<bool> bits(8);
#else
static std::vector<char> bits(8);
#endif
int main() {
  std::thread t([] { bits[0] = true; });
  bits[1] = true;
  t.join();
}
