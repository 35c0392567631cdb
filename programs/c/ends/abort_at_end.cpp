// expect verdict=violated kind=abort at=abort_at_end.cpp:8
// expect verdict=violated kind=abort mentions=int at=abort_at_end.cpp:10 cflags=-DTHROW
#include <cstdlib>

struct Object {
  ~Object() noexcept(false) {
#ifndef THROW
    std::abort();
#else
    throw 1;
#endif
  }
};
static Object object;

int main() {}
