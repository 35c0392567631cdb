/* moodycamel::ConcurrentQueue (libconcurrentqueue-dev): one thread inserts, main removes. */
#include <concurrentqueue/concurrentqueue.h>
#include <cassert>
#include <thread>

int main() {
  moodycamel::ConcurrentQueue<int> queue(4, 1, 1);
  std::thread producer([&] { queue.enqueue(1); });
  int value = 1;
  queue.try_dequeue(value);
  assert(value == 1);
  producer.join();
}
