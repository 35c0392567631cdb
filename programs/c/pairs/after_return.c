// A pointer to a variable of a function that has returned.
// expect verdict=holds
// expect verdict=violated kind=dead-stack cflags=-DWRONG
static int *__attribute__((noinline)) make(int *given) {
  int own = 3;
  int *volatile p = &own;
#ifdef WRONG
  return p;
#else
  *given = *p;
  return given;
#endif
}
int main(void) {
  int mine;
  int *p = make(&mine);
  return *p - 3;
}
