// An iterator into a vector that has grown.
// expect verdict=holds
// expect verdict=violated kind=use-after-free cflags=-DWRONG
#include <vector>
int main() {
  std::vector<int> v{1, 2, 3};
  auto it = v.begin();
  v.push_back(4);
#ifndef WRONG
  it = v.begin();
#endif
  return *it - 1;
}
