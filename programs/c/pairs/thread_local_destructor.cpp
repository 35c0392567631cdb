// A thread-local object's destructor uses something that is gone.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=use-after-free cflags=-DWRONG with=gcc opt=0
#include <thread>
static int *shared;
static int sink;
struct Guard {
  bool used = false;
  ~Guard() { sink = *shared; }
};
static thread_local Guard guard;
int main() {
  shared = new int(3);
  std::thread t([] { guard.used = true; });
  t.join();
#ifndef WRONG
  guard.used = true;
#else
  guard.used = true;
  delete shared;
#endif
}
