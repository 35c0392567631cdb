// A constructor that does not come to an end.
// expect verdict=inconclusive flags=--stall-timeout=1
__attribute__((constructor)) static void early(void) {
  for (;;) {
  }
}

int main(void) { return 0; }
