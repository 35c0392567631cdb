// expect verdict=holds
#include <cassert>
#include <thread>
struct Config { int value; Config() : value(5) {} };
const Config &config() { static Config c; return c; }
int main() {
  std::thread a([] { assert(config().value == 5); }), b([] { assert(config().value == 5); });
  a.join();
  b.join();
}
