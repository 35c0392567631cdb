// expect verdict=holds unseen=none
// expect verdict=violated kind=race line=27 cflags=-DTREE
// expect verdict=violated kind=race line=29,61 cflags=-DLIST
// expect verdict=violated kind=race cflags=-DHASH
// expect verdict=violated kind=abort line=47 cflags=-DRANGE mentions=size
// expect verdict=violated kind=abort line=50 cflags=-DEMPTY
// Containers whose code is in the C++ library, and what the library checks itself.
#include <cassert>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
std::map<int, int> tree;
std::list<int> list;
std::string key = "key";

int main() {
  for (int i = 0; i < 4; i++) { tree[i * 2] = i; list.push_back(i); }
  auto counted = std::make_shared<int>(1);
  std::thread thread([counted] {
    int sum = *counted;
#ifdef TREE
    for (auto &node : tree) sum += node.first;
#elif defined LIST
    for (int value : list) sum += value;
#elif defined HASH
    sum += std::hash<std::string>()(key) & 1;
#endif
    assert(sum > 0);
  });
  { auto other = counted; }
#ifdef TREE
  tree[1] = 5;
#endif
#ifdef LIST
  list.pop_front();
#endif
#ifdef HASH
  key[0] = 'x';
#endif
#ifdef RANGE
  std::vector<int> few(3);
  few[*counted + 2] = 1;
#endif
#ifdef EMPTY
  std::vector<int> none; none.front() = *counted;
#endif
  thread.join();
  /* A tree and a list in many states. */
  std::map<unsigned, int> many;
  std::vector<bool> there(64);
  unsigned random = 1;
  for (int step = 0; step < 600; step++) {
    random = random * 1103515245 + 12345;
    unsigned which = random >> 16 & 63;
    if (there[which]) many.erase(which); else many[which] = step;
    there[which] = !there[which];
    unsigned next = 0, count = 0;
    for (auto &node : many) {
      while (!there[next]) next++;
      assert(node.first == next++);
      count++;
    }
    assert(count == many.size());
    unsigned last = 64;
    for (auto node = many.rbegin(); node != many.rend(); ++node) { assert(node->first < last && there[node->first]); last = node->first; }
  }
  std::list<int> one{3, 1, 2}, two{7};
  one.sort();
  one.splice(one.begin(), two);
  one.reverse();
  two.swap(one);
  assert((two == std::list<int>{3, 2, 1, 7}) && one.empty());
}
