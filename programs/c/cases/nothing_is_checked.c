// expect verdict=inconclusive
#include <quotient.h>
int main(void) { quotient_assume(0); }
