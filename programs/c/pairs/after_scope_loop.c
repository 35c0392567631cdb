// A pointer to a variable of an earlier round.
// expect verdict=holds
// expect verdict=violated kind=dead-stack,use-after-free,uninitialised cflags=-DWRONG with=clang
static int *volatile kept;
static int result;
int main(void) {
  for (int i = 0; i < 2; i++) {
    int inner[4];
#ifdef WRONG
    if (i == 1) result = kept[1];
    if (i == 0) inner[1] = 0;
#else
    inner[1] = 0;
    kept = inner;
    result = kept[1];
#endif
    kept = inner;
  }
  return result;
}
