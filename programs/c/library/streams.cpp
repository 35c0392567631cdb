// expect verdict=violated kind=assertion prints=hello prints=world prints=2.5 prints=read:12x unseen=none
// expect verdict=violated kind=race cflags=-DSHARED
// expect verdict=violated kind=race cflags=-DUNSYNCED
// Standard streams may be used by several threads, as long as they are in step with those of C; other streams must not be.
#include <cassert>
#include <iostream>
#include <sstream>
#include <thread>
std::ostringstream shared;

int main() {
#ifdef UNSYNCED
  std::ios::sync_with_stdio(false);
#endif
  std::thread thread([] {
#ifdef SHARED
    shared << "a" << 1;
#else
    std::cout << "hello " << 1 << std::endl;
#endif
  });
#ifdef SHARED
  shared << "b";
#else
  std::cout << "world " << 2.5 << "\n";
#endif
  thread.join();
  std::istringstream in("12 x");
  int number;
  char letter;
  in >> number >> letter;
  std::cout << "read:" << number << letter << std::endl;
  assert(number == 13);
}
