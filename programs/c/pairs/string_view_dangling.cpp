// A view of a string that is gone.
// expect verdict=holds cflags=-std=c++17
// expect verdict=violated kind=use-after-free,dead-stack,uninitialised cflags=-DWRONG cflags=-std=c++17
#include <string>
#include <string_view>
static std::string make() { return std::string(40, 'x'); }
int main() {
#ifdef WRONG
  std::string_view view = make();
#else
  std::string kept = make();
  std::string_view view = kept;
#endif
  return view.find('y') == 3;
}
