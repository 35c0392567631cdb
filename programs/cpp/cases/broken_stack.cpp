// expect verdict=violated kind=race
#include <atomic>
#include <cassert>
#include <thread>
struct Node { int value; Node *next; };
std::atomic<Node *> top{nullptr};
int main() {
  std::thread a([] { top.store(new Node{1, nullptr}, std::memory_order_relaxed); });
  Node *node = top.load(std::memory_order_relaxed);
  int seen = node ? node->value : 0;
  a.join();
  return seen > 1;
}
