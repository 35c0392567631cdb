// expect verdict=violated kind=abort
#include <stdexcept>
#include <thread>
int main() {
  std::thread t([] { throw std::runtime_error("nobody cares"); });
  t.join();
}
