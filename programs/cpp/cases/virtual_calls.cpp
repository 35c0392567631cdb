// expect verdict=holds flags=--leaks=error
#include <cassert>
#include <memory>
#include <thread>
struct Shape { virtual ~Shape() = default; virtual int sides() const = 0; };
struct Square : Shape { int sides() const override { return 4; } };
int main() {
  std::unique_ptr<Shape> shape = std::make_unique<Square>();
  std::thread t([&] { assert(shape->sides() == 4); });
  t.join();
}
