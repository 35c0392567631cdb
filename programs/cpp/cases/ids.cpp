// expect verdict=holds executions=96
// expect verdict=holds executions=10 symmetry=ids
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>
// Three threads that count, each with a cell of its own, and two that look at the counter: 3! · 4² executions, of which
// there are as many orbits as ways to choose two of four values.
static std::atomic<int> x;
int main() {
  std::vector<std::thread> threads;
  int cell[3] = {};
  for (int i = 0; i < 3; i++) threads.emplace_back([i, &cell] { x.fetch_add(1); cell[i] = 1; });
  for (int i = 0; i < 2; i++) threads.emplace_back([i] { (void)i; (void)x.load(std::memory_order_relaxed); });
  for (auto &thread : threads) thread.join();
  for (int mine : cell) assert(mine == 1);
}
