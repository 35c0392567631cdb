// A variable whose address is handed on before it is set.
// expect verdict=holds
// expect verdict=violated kind=uninitialised cflags=-DWRONG opt=0
static int __attribute__((noinline)) get(int *p) { return *p; }
int main(void) {
  int value;
#ifndef WRONG
  value = 3;
#endif
  return get(&value) == 12345;
}
