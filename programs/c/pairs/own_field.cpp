// A right form, and a wrong one: `main` asks its own string while another thread changes it.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG with=clang
// expect verdict=violated kind=race cflags=-DWRONG with=gcc
#include <string>
#include <thread>
int main() {
  std::string text = "abc";
  std::thread thread([&] { text.push_back('d'); });
#ifdef WRONG
  volatile std::size_t size = text.size();
  (void)size;
#endif
  thread.join();
}
