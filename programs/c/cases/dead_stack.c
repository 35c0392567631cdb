// expect verdict=violated kind=dead-stack
static int *volatile p;
__attribute__((noinline)) static void leave(void) {
  int local[16] = {1};
  p = &local[3];
}
int main(void) {
  leave();
  return *p;
}
