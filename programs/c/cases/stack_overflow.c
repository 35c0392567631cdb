// expect verdict=violated kind=stack-overflow line=3
__attribute__((noinline)) static int deeper(volatile int *p) {
  volatile int more[256]; more[0] = *p + 1;
  return deeper(more) + more[0];
}
int main(void) {
  volatile int start = 0;
  return deeper(&start);
}
