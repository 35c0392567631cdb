// expect verdict=inconclusive kind=unsupported mentions=24
#include <stdatomic.h>
struct three { long a, b, c; };
static _Atomic struct three shared;
int main(void) {
  struct three seen = atomic_load(&shared);
  return (int)seen.a;
}
