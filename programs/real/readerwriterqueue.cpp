/* moodycamel::ReaderWriterQueue (libreaderwriterqueue-dev): one thread inserts, main removes. */
#include <readerwriterqueue/readerwriterqueue.h>
#include <cassert>
#include <thread>

int main() {
  moodycamel::ReaderWriterQueue<int> queue(2);
  std::thread producer([&] { queue.enqueue(1); queue.enqueue(2); });
  int last = 0, value;
  for (int i = 0; i < 2; i++)
    if (queue.try_dequeue(value)) {
      assert(value == last + 1);
      last = value;
    }
  producer.join();
}
