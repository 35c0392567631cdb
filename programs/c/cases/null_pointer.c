// expect verdict=violated kind=null-pointer line=5
#include <stddef.h>
int main(void) {
  int *volatile p = NULL;
  *p = 1;
}
