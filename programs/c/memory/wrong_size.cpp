// An object is deleted as one of another size, or published without order.
// expect verdict=violated kind=invalid-free mentions=bytes cflags=-DDERIVED
// expect verdict=violated kind=race mentions=allocating cflags=-DPUBLISH
// expect verdict=violated kind=race mentions=allocating cflags=-DPUBLISH cflags=-DARRAY
// expect verdict=holds cflags=-DVIRTUAL
#include <atomic>
#include <thread>
struct Base {
  int a = 1;
#ifdef VIRTUAL
  virtual ~Base() {}
#endif
};
struct Derived : Base {
  long b[4] = {};
};
std::atomic<int *> p;
int main() {
#ifdef PUBLISH
  std::thread t([] {
#ifdef ARRAY
    p.store(new int[4], std::memory_order_relaxed);
#else
    p.store(new int, std::memory_order_relaxed);
#endif
  });
  if (int *q = p.load(std::memory_order_relaxed)) *q = 1;
  t.join();
#else
  Base *volatile x = new Derived;
  delete x;
#endif
}
