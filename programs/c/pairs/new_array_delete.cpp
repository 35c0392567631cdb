// What new[] has made.
// expect verdict=holds
// expect verdict=violated kind=invalid-free cflags=-DWRONG
int main() {
  int *volatile p = new int[3];
#ifdef WRONG
  delete p;
#else
  delete[] p;
#endif
}
