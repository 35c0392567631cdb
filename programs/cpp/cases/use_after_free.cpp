// expect verdict=violated kind=use-after-free
#include <memory>
struct Node { int value; };
int main() {
  auto node = std::make_unique<Node>();
  Node *volatile raw = node.get();
  node.reset();
  return raw->value;
}
