// expect verdict=holds flags=--leaks=error
// A stack with a tagged head of 16 bytes; its nodes are not freed before all threads have ended.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>
struct Node {
  std::atomic<Node *> next{nullptr};
  int value;
};
struct Head {
  Node *first;
  std::uintptr_t tag;
};
static std::atomic<Head> top;
static void push(Node *node) {
  Head old = top.load(std::memory_order_relaxed);
  do node->next.store(old.first, std::memory_order_relaxed);
  while (!top.compare_exchange_weak(old, Head{node, old.tag + 1}, std::memory_order_release, std::memory_order_relaxed));
}
static Node *pop() {
  Head old = top.load(std::memory_order_acquire);
  while (old.first) {
    Head next{old.first->next.load(std::memory_order_relaxed), old.tag + 1};
    if (top.compare_exchange_weak(old, next, std::memory_order_acquire, std::memory_order_acquire)) break;
  }
  return old.first;
}
int main() {
  static Node nodes[2];
  auto work = [](Node *node) {
    node->value = 1;
    push(node);
    if (Node *got = pop()) {
      assert(got->value >= 1);
      got->value = 2;
      push(got);
    }
  };
  std::thread a(work, &nodes[0]), b(work, &nodes[1]);
  a.join();
  b.join();
  assert(top.load().tag >= 4);
}
