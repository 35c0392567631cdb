// expect verdict=holds notes=tried
// Random numbers are not random, and the answer says so.
#include <assert.h>
#include <stdlib.h>
int main(void) {
  srand(7);
  assert(rand() == rand());
}
