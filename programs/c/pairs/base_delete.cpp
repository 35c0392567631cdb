// delete of a base without a virtual destructor.
// expect verdict=holds
// expect verdict=violated kind=invalid-free cflags=-DWRONG
struct Base {
  int a = 1;
#ifndef WRONG
  virtual ~Base() {}
#endif
};
struct Derived : Base {
  long b[4] = {};
};
int main() {
  Base *volatile p = new Derived;
  delete p;
}
