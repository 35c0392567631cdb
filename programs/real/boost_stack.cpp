/* boost::lockfree::stack (libboost-dev) with fixed size: two threads push, main pops. */
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::stack<int, boost::lockfree::fixed_sized<true>, boost::lockfree::capacity<4>> stack;
  std::thread a([&] { stack.push(1); }), b([&] { stack.push(2); });
  int seen = 0, value;
  for (int i = 0; i < 2; i++)
    if (stack.pop(value)) seen += value;
  a.join();
  b.join();
  while (stack.pop(value)) seen += value;
  assert(seen == 3);
}
