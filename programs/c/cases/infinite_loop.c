// expect verdict=inconclusive kind=bound flags=--patience=1
int main(void) {
  volatile int i = 0;
  for (;;) i++;
}
