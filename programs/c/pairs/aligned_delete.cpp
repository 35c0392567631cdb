// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++17
// expect verdict=violated kind=invalid-free cflags=-DWRONG cflags=-std=c++17
#include <new>
#ifdef WRONG
#define ALIGNMENT 32
#else
#define ALIGNMENT 64
#endif
int main() {
  void *block = ::operator new(64, std::align_val_t(64));
  ::operator delete(block, std::align_val_t(ALIGNMENT));
}
