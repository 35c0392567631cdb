// Functions that are left by an exception, or by the end of their thread, leave nothing behind that others stumble over.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds with=clang opt=1,2,3 cflags=-DWRONG
#include <atomic>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <vector>
static int __attribute__((noinline)) fill(char *to, int count) {
  for (int i = 0; i < count; i++) to[i] = char(i);
  return to[0];
}
static int __attribute__((noinline)) throws(int way) {
  char one[3], two[5], three[100];
  fill(one, 3);
  fill(two, 5);
  fill(three, 100);
  if (way == 0) throw std::runtime_error("no");
  if (way == 1) return std::vector<int>(1).at(3);
  if (way == 2) throw way;
  return one[0];
}
static int __attribute__((noinline)) deep(int depth, int way) {
  char own[7];
  fill(own, 7);
  return (depth == 0 ? throws(way) : deep(depth - 1, way)) + own[6];
}
static int __attribute__((noinline)) flat(int way) {
  char all[600];
  fill(all, 600);
  return all[way];
}
static std::atomic<int> seen;
static void *leaves(void *argument) {
  char own[5];
  fill(own, 5);
  if (seen.fetch_add(1) == 0) {
    deep(2, 3);
    pthread_exit(argument);
  }
  flat(1);
  return argument;
}
int main() {
  for (int way = 0; way < 4; way++) {
    try {
      deep(3, way);
    } catch (...) {
      flat(way);
    }
    flat(way);
  }
  pthread_t threads[2];
  for (auto &thread : threads) pthread_create(&thread, nullptr, leaves, nullptr);
  for (auto &thread : threads) pthread_join(thread, nullptr);
#ifdef WRONG
  char small[2], other[2] = {};
  return fill(small, 3) + fill(other, 2);
#endif
}
