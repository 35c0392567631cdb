// expect verdict=violated kind=assertion prints=hello_7
#include <assert.h>
#include <stdio.h>
int main(void) {
  printf("hello_%d\n", 7);
  assert(!"the end");
}
