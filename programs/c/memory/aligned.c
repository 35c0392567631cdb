// An alignment that is no power of two.
// expect verdict=violated kind=misuse opt=0
#include <stdlib.h>
int main(void) { void *p = aligned_alloc(3, 9); free(p); return 0; }
