// References to what has ended with its block.
// expect verdict=holds
// expect verdict=violated kind=dead-stack with=clang opt=1,2,3 everywhere cflags=-DREFERENCE
// expect verdict=violated kind=dead-stack with=clang opt=1,2,3 cflags=-DLAMBDA
#include <functional>
static int __attribute__((noinline)) call(const std::function<int()> &f) { return f(); }
int main() {
  const int *kept = nullptr;
  std::function<int()> function = [] { return 1; };
  int sum = 0;
  {
    int inner = 2;
    int *volatile p = &inner;
    kept = p;
    auto refers = [&inner] { return inner; };
    sum += call(refers) + *kept;
#ifdef LAMBDA
    function = refers;
#endif
  }
#ifdef REFERENCE
  sum += *kept;
#endif
  return sum + call(function) == 0;
}
