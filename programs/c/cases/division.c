// expect verdict=violated kind=crash line=4
int main(void) {
  volatile int zero = 0;
  return 100 / zero;
}
