// expect verdict=holds silent=address everywhere
// expect verdict=violated kind=race cflags=-DSHARED silent=address everywhere
// The elements of std::vector<bool> are bits: pushing one reads what nobody has written, and writes it.
#include <algorithm>
#include <cassert>
#include <pthread.h>
#include <vector>

static std::vector<bool> shared(10);

static void *work(void *argument) {
  std::vector<bool> bits(100);
  bits[70] = true;
  for (int i = 0; i < 40; i++) bits.push_back(i & 1);
  assert(std::count(bits.begin(), bits.end(), true) == 21);
  bits.resize(300);
  bits.insert(bits.begin() + 3, true);
  bits.erase(bits.begin() + 5);
  std::vector<bool> others(bits);
  others.flip();
  assert(bits != others);
#ifdef SHARED
  shared[argument ? 1 : 2] = true;
#endif
  return argument;
}

int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, work, nullptr);
  pthread_create(&two, nullptr, work, &two);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
}
