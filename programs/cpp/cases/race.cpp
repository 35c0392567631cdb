// expect verdict=violated kind=race
#include <thread>
#include <vector>
int main() {
  std::vector<int> v(4);
  std::thread t([&] { v[1] = 1; });
  v[1] = 2;
  t.join();
}
