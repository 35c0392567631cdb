// new with an alignment has a delete of its own.
// expect verdict=holds cflags=-std=c++17
// expect verdict=violated kind=invalid-free cflags=-DWRONG cflags=-std=c++17
#include <new>
int main() {
  void *volatile p = ::operator new(64, std::align_val_t(64));
#ifdef WRONG
  ::operator delete(p);
#else
  ::operator delete(p, std::align_val_t(64));
#endif
}
