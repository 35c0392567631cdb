// Behind the end of an array whose length is computed.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG
#ifdef WRONG
#define LAST n
#else
#define LAST n - 1
#endif
int main(int n, char **arguments) {
  volatile int block[n];
  volatile int index = LAST;
  block[index] = 1;
  return 0;
}
