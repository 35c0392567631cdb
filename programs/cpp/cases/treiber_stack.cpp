// expect verdict=holds
// expect verdict=holds model=sc
#include <atomic>
#include <cassert>
#include <thread>
template <typename T> class Stack {
  struct Node { T value; Node *next; };
  std::atomic<Node *> top{nullptr};
public:
  void push(T value) {
    Node *node = new Node{value, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {}
  }
  bool pop(T &value) {
    Node *node = top.load(std::memory_order_acquire);
    while (node && !top.compare_exchange_weak(node, node->next, std::memory_order_acquire, std::memory_order_acquire)) {}
    if (!node) return false;
    value = node->value;
    return true;
  }
};
Stack<int> stack;
int main() {
  std::thread a([] { stack.push(1); }), b([] { int v; if (stack.pop(v)) assert(v == 1 || v == 2); });
  stack.push(2);
  a.join();
  b.join();
}
