// A static variable of a function is made once; what it has is not protected.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <string>
#include <thread>
static std::string &get() {
  static std::string text = "made once, and long enough for the heap";
  return text;
}
static void work() {
#ifdef WRONG
  get() += "x";
#else
  volatile auto n = get().size();
#endif
}
int main() {
  std::thread t(work);
  work();
  t.join();
}
