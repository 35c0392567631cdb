/* boost::lockfree::spsc_queue (libboost-dev): one thread pushes, main pops. */
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
  std::thread producer([&] { for (int i = 1; i <= 3; i++) queue.push(i); });
  int last = 0, value;
  for (int i = 0; i < 2; i++)
    if (queue.pop(value)) {
      assert(value > last);
      last = value;
    }
  producer.join();
}
