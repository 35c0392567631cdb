// What new has made.
// expect verdict=holds
// expect verdict=violated kind=invalid-free cflags=-DWRONG
#include <cstdlib>
int main() {
  int *volatile p = new int(3);
#ifdef WRONG
  std::free(p);
#else
  delete p;
#endif
}
