// expect verdict=inconclusive kind=unsupported mentions=fork
#include <unistd.h>
int main(void) { return fork() < 0; }
