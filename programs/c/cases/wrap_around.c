// expect verdict=holds executions=1
#include <assert.h>
#include <stdatomic.h>
static _Atomic unsigned char x = 255;
static _Atomic short y = -1;
int main(void) {
  assert(atomic_fetch_add(&x, 1) == 255 && atomic_load(&x) == 0);
  assert(atomic_fetch_sub(&y, 1) == -1 && atomic_load(&y) == -2);
}
