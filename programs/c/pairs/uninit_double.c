// Numbers with a fraction are memory, too.
// expect verdict=holds
// expect verdict=violated kind=uninitialised cflags=-DWRONG opt=0
static double __attribute__((noinline)) get(double *p) { return *p + 1; }
int main(void) {
  double value;
#ifndef WRONG
  value = 1.5;
#endif
  return get(&value) > 100;
}
