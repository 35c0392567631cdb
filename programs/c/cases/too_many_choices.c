// expect verdict=inconclusive kind=bound mentions=4294967295
#include <quotient.h>
int main(void) { return quotient_nondet(-1) > 3; }
