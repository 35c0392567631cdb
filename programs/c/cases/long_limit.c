// expect verdict=inconclusive flags=--max-time=0.001
// The time limit holds inside the only execution.
#include <stdatomic.h>

atomic_int counter;

int main(void) {
  for (int i = 0; i < 40000; i++) {
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
  }
  return 0;
}
