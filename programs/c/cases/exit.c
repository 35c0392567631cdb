// expect verdict=holds executions=1
#include <stdlib.h>
int main(void) { exit(3); }
