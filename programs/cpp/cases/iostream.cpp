// expect verdict=violated kind=assertion prints=value_7
#include <cassert>
#include <iostream>
int main() {
  std::cout << "value_" << 7 << std::endl;
  assert(false);
}
