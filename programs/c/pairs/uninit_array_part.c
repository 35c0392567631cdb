// Some elements of a local array are not written.
// expect verdict=holds
// expect verdict=violated kind=uninitialised cflags=-DWRONG
#ifdef WRONG
#define FROM 1
#else
#define FROM 0
#endif
static int __attribute__((noinline)) sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) if (p[i] > 3) s++;
  return s;
}
int main(void) {
  int values[4];
  for (int i = FROM; i < 4; i++) values[i] = i;
  return sum(values, 4);
}
