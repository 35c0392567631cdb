// A detached thread uses an object that is destroyed at the end.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=use-after-free,race cflags=-DWRONG with=gcc opt=0
#include <string>
#include <thread>
static std::string text(50, 'x');
int main() {
  std::thread t([] { volatile char c = text[3]; });
#ifdef WRONG
  t.detach();
#else
  t.join();
#endif
}
