// expect verdict=holds executions=6
#include <quotient.h>
int main(void) {
  unsigned a = quotient_nondet(2), b = quotient_nondet(3);
  return a + b > 3;
}
