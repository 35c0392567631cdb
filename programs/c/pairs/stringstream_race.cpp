// A right form, and a wrong one.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <sstream>
#include <thread>
static std::ostringstream out, other;
int main() {
  std::thread t([] { out << 5 << "text"; });
#ifdef WRONG
  out << 6 << "other";
#else
  other << 6 << "other";
#endif
  t.join();
}
