// expect verdict=violated kind=abort line=3
#include <stdlib.h>
int main(void) { abort(); }
