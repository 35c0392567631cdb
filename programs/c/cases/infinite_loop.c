// expect verdict=inconclusive kind=bound flags=--stall-timeout=1
int main(void) {
  volatile int i = 0;
  for (;;) i++;
}
