// expect verdict=holds cflags=-std=c++20
#include <cassert>
#include <semaphore>
#include <thread>
std::binary_semaphore s{0};
int data;
int main() {
  std::thread t([] { data = 4; s.release(); });
  s.acquire();
  assert(data == 4);
  t.join();
}
