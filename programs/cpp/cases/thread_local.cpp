// expect verdict=holds
#include <cassert>
#include <string>
#include <thread>
thread_local std::string name = "none of these short strings";
int main() {
  std::thread t([] { assert(name == "none of these short strings"); name += "!"; });
  t.join();
  assert(name == "none of these short strings");
}
