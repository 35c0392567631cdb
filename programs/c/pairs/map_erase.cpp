// Going on from an element that is erased.
// expect verdict=holds
// expect verdict=violated kind=use-after-free cflags=-DWRONG
#include <map>
int main() {
  std::map<int, int> m{{1, 1}, {2, 2}, {3, 3}};
  int rounds = 0;
  for (auto it = m.begin(); it != m.end();) {
#ifdef WRONG
    m.erase(it);
    ++it;
#else
    it = m.erase(it);
#endif
    rounds++;
  }
  return rounds - 3;
}
