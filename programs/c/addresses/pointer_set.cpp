// A set of pointers: which block comes first in it depends on the order of addresses.
// expect verdict=violated kind=assertion
// expect verdict=violated kind=assertion cflags=-DHASHED
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <set>
#include <unordered_set>

struct Node { int turn; };
static std::mutex lock;
#ifdef HASHED
struct Hash { size_t operator()(Node *node) const { return reinterpret_cast<size_t>(node) >> 27; } };
static std::unordered_set<Node *, Hash> all;
#else
static std::set<Node *> all;
#endif
static int turns;

static void *enter(void *argument) {
  Node *mine = new Node;
  std::lock_guard<std::mutex> guard(lock);
  mine->turn = turns++;
  all.insert(mine);
#ifdef HASHED
  if (turns == 2) assert(all.bucket(mine) > 0 && mine->turn == (int)(reinterpret_cast<size_t>(mine) >> 27 & 1));
#else
  if (turns == 2) assert((*all.begin())->turn == 0);
#endif
  return argument;
}

int main() {
  pthread_t threads[2];
  for (auto &thread : threads) pthread_create(&thread, nullptr, enter, nullptr);
  for (auto thread : threads) pthread_join(thread, nullptr);
}
